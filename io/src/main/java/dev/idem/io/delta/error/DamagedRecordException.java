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

/** A record that the table's log names and that is missing or not as it was written. */
public final class DamagedRecordException extends DeltaTableException {

  private static final long serialVersionUID = 1L;

  private final String sink;
  private final long batch;

  /** Only this library makes it. */
  public DamagedRecordException(
      String table, String sink, long batch, String message, Throwable cause) {
    super(table, message, cause);
    this.sink = sink;
    this.batch = batch;
  }

  /** Returns the sink id, {@code application/sink}. */
  public String sink() {
    return sink;
  }

  /** Returns the batch id of the record. */
  public long batch() {
    return batch;
  }
}
