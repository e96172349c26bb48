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
package dev.idem.io.delta.error;

/** A table with a feature that would not be honoured, or that would break the guarantee. */
public final class UnusableTableException extends DeltaTableException {

  private static final long serialVersionUID = 1L;

  private final String feature;

  /** Only this library makes it. */
  public UnusableTableException(String table, String feature, String message, Throwable cause) {
    super(table, message, cause);
    this.feature = feature;
  }

  /** Returns the feature or property. */
  public String feature() {
    return feature;
  }
}
