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
package dev.idem.io.delta.maintenance;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.Tables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A process that appends to a table, or rewrites its small files, beside others. */
final class CompactionRaceProcess {

  static final int BATCHES = 100;
  static final int COMPACTIONS = 20;
  static final int LEAST_FILES = 5;

  private static final int MOST_FILES = 8;

  private CompactionRaceProcess() {}

  /** Appends to {@code args[0]} as the application {@code args[1]}, or compacts it without one. */
  public static void main(String[] args) throws IOException {
    Path table = Path.of(args[0]);
    if (args.length == 1) {
      compact(Tables.table(table), TableMaintenance.at(args[0], Map.of()));
    } else {
      append(table, args[1]);
    }
  }

  /** Commits all batches; before the last one it says so and waits to be told. */
  private static void append(Path table, String application) throws IOException {
    for (int batch = 0; batch < BATCHES; batch++) {
      if (batch == BATCHES - 1) {
        System.out.println("last");
        System.in.read();
      }
      Tables.table(table)
          .commit(
              Tables.commit(table, application + "/main", batch, application + "-" + batch)
                  .withoutGaps());
    }
  }

  /** Compacts until it is told to end; says when it has done so often enough. */
  private static void compact(DeltaTable table, TableMaintenance maintenance) throws IOException {
    List<DataFile> files = table.files();
    while (files.isEmpty()) {
      files = table.files();
    }
    OptimizeSpec spec =
        OptimizeSpec.ofDefaults()
            .withTargetFileSize(files.get(0).size() * MOST_FILES)
            .withMinInputFiles(LEAST_FILES);
    boolean enough = false;
    long compactions = 0;
    long yielded = 0;
    while (System.in.available() == 0) {
      OptimizeResult result = maintenance.optimize(spec);
      yielded += result.yielded();
      compactions += ofManyFiles(result);
      if (!enough && compactions >= COMPACTIONS) {
        enough = true;
        System.out.println("enough");
      }
    }
    System.out.println(yielded);
  }

  /** Returns how many commits had {@link #LEAST_FILES} files at least, given what most have. */
  private static long ofManyFiles(OptimizeResult result) {
    long few = LEAST_FILES - 1;
    return Math.max(0, (result.removedFiles() - few * result.commits()) / (MOST_FILES - few));
  }
}
