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
package dev.idem.io.delta.table;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A process that commits batches to a table which another one shares. */
final class CommittingProcess {

  private CommittingProcess() {}

  /** Commits 200 batches of {@code args[1]} to {@code args[0]}, once both processes are there. */
  public static void main(String[] args) throws IOException {
    Path table = Path.of(args[0]);
    Files.writeString(table.resolve("_ready_" + args[1]), "");
    while (ready(table) < 2) {
      Thread.onSpinWait();
    }
    for (int batch = 0; batch < 200; batch++) {
      Tables.table(table)
          .commit(
              Tables.commit(table, args[1] + "/main", batch, args[1] + "-" + batch).withoutGaps());
    }
  }

  private static long ready(Path table) throws IOException {
    try (Stream<Path> files = Files.list(table)) {
      return files.filter(f -> f.getFileName().toString().startsWith("_ready_")).count();
    }
  }
}
