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
package dev.idem.io.jdbc;

import dev.idem.transforms.external.DeadLetter;
import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import org.apache.beam.sdk.values.Row;

/** Writes the rows of a shard within its transaction. */
interface ShardWrite {

  /**
   * Adds a row.
   *
   * @param carrier what becomes a dead letter if the table refuses the row
   */
  void add(Row carrier, Row row) throws SQLException, IOException;

  /** Writes what was added and is not written yet. */
  void finish() throws SQLException, IOException;

  /** Returns how many rows the table took. */
  long written();

  /** Returns the rows that it will never take. */
  List<DeadLetter<Row>> letters();
}
