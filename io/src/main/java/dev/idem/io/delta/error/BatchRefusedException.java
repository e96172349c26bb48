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

import java.util.OptionalLong;

/** A batch id that the table cannot take: none is skipped, and none is left out, on its number. */
public final class BatchRefusedException extends DeltaTableException {

  private static final long serialVersionUID = 1L;

  private final String sink;
  private final long batch;
  private final OptionalLong recorded;

  /** Only this library makes it. */
  public BatchRefusedException(
      String table, String sink, long batch, OptionalLong recorded, String message) {
    super(table, message, null);
    this.sink = sink;
    this.batch = batch;
    this.recorded = recorded;
  }

  /** Returns the sink id, {@code application/sink}. */
  public String sink() {
    return sink;
  }

  /** Returns the refused batch id. */
  public long batch() {
    return batch;
  }

  /** Returns the last batch id that the table holds of the sink. */
  public OptionalLong recorded() {
    return recorded;
  }
}
