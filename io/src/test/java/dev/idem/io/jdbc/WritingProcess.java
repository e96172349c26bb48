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

import java.nio.file.Path;
import java.util.List;
import org.apache.beam.sdk.values.Row;

/** A process that writes a batch, and is killed while it does. */
final class WritingProcess {

  /** How many rows it writes. */
  static final int ROWS = 2_000;

  private WritingProcess() {}

  /** Returns what it writes. */
  static List<Row> rows() {
    return Writing.rows(0, ROWS, 1);
  }

  /** Writes to the database of args: URL, user, password file, and whether rows are appended. */
  public static void main(String[] args) {
    JdbcDatabase database = JdbcDatabase.at(args[0]).as(args[1]).withPasswordFile(Path.of(args[2]));
    WriteJdbcRows write =
        Boolean.parseBoolean(args[3])
            ? JdbcUpsertIO.appendOncePerBatch("app")
            : JdbcUpsertIO.upsertNewer(List.of("id"), "version").deletingWhen("op", "d");
    Writing.run(
        Writing.oneAtATime(),
        rows(),
        write.by("app").to("t").withDatabase(database).withBatch(0).withShards(16));
  }
}
