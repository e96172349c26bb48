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

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;

/** A row of an overwrite that is in none of the partitions that it replaces. */
public final class OutsideOverwriteException extends DeltaTableException {

  private static final long serialVersionUID = 1L;

  private final HashMap<String, String> partitionValues;

  /** Only this library makes it. */
  public OutsideOverwriteException(
      String table, Map<String, String> partitionValues, String message) {
    super(table, message, null);
    this.partitionValues = new HashMap<>(partitionValues);
  }

  /** Returns the row's partition values in the protocol's text form; a value may be null. */
  public Map<String, String> partitionValues() {
    return Collections.unmodifiableMap(partitionValues);
  }
}
