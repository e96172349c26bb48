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
package dev.idem.transforms.fingerprint;

import org.apache.beam.sdk.schemas.Schema;

/** Thrown when a row has another schema than the one its encoding was made for. */
public final class UnexpectedSchemaException extends RuntimeException {
  private final Schema expected;
  private final Schema actual;

  UnexpectedSchemaException(String message, Schema expected, Schema actual) {
    super(message);
    this.expected = expected;
    this.actual = actual;
  }

  /** Returns the schema that the encoding was made for. */
  public Schema getExpected() {
    return expected;
  }

  /** Returns the schema of the row. */
  public Schema getActual() {
    return actual;
  }
}
