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
package dev.idem.io.delta.changes;

import java.time.Instant;
import org.apache.beam.sdk.values.Row;

/**
 * A row that a version of a table added, or changed otherwise.
 *
 * @param row the row
 * @param type {@code insert}, {@code delete}, {@code update_preimage} or {@code update_postimage},
 *     as in the table's change data feed; {@code insert} unless {@link OnChanges#CDF} is asked for
 * @param version the table version
 * @param time when the version was committed, as its writer says
 * @param position tells the changes of one version apart; the same at every read
 */
public record TableChange(Row row, String type, long version, Instant time, long position) {

  /** The type of a row that was not there before. */
  public static final String INSERT = "insert";

  /** The type of a row that is not there any more. */
  public static final String DELETE = "delete";
}
