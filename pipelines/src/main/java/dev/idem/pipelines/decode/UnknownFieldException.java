/*
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except
 * in compliance with the License. You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License
 * is distributed on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express
 * or implied. See the License for the specific language governing permissions and limitations under
 * the License.
 */
package dev.idem.pipelines.decode;

/** A record has a field that the schema does not name, and the job was told to fail on it. */
public final class UnknownFieldException extends RuntimeException {
  private final String field;

  UnknownFieldException(String field) {
    super(
        "Field must be one of the schema's, but was: \""
            + field
            + "\". Add the column to the schema, or run with --unknownFields=dead-letter or"
            + " --unknownFields=ignore.");
    this.field = field;
  }

  /** Returns the field's name. */
  public String field() {
    return field;
  }
}
