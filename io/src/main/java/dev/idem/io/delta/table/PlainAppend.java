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

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.kernel.KernelCommit;
import dev.idem.io.delta.kernel.KernelConflictException;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.beam.sdk.util.Sleeper;

/** An append of files that carries no batch id. */
final class PlainAppend {

  private static final int ROUNDS = 10;

  private final Storage storage;
  private final KernelTable table;
  private final String schemaJson;
  private final List<String> partitionColumns;
  private final Map<String, String> properties;
  private final List<DataFile> files;
  private final SchemaEvolution evolution;
  private final Sleeper sleeper;

  /** Whether a round may have committed the files. */
  private boolean tried;

  PlainAppend(
      Storage storage,
      KernelTable table,
      String schemaJson,
      List<String> partitionColumns,
      Map<String, String> properties,
      List<DataFile> files,
      Sleeper sleeper,
      SchemaEvolution evolution) {
    this.storage = storage;
    this.table = table;
    this.schemaJson = schemaJson;
    this.partitionColumns = partitionColumns;
    this.properties = properties;
    this.files = files;
    this.evolution = evolution;
    this.sleeper = sleeper;
  }

  long run() {
    return new CommitRounds(storage.path(""), "files", ROUNDS, sleeper).run(this::round);
  }

  private long round() throws KernelConflictException, IOException {
    KernelSnapshot snapshot =
        BatchCommit.loadOrCreate(storage.path(""), table, schemaJson, partitionColumns, properties);
    EvolvedSchema evolved = EvolvedSchema.of(snapshot, schemaJson, evolution);
    boolean nothing = files.isEmpty() && evolved.forCommit().isEmpty();
    if (nothing || (tried && !files.isEmpty() && holds(snapshot))) {
      table.forceLog();
      return snapshot.version();
    }
    TableChecks.refuseUnusable(snapshot, storage.path(""), Optional.of(Duration.ZERO));
    TableChecks.requireFit(snapshot, evolved, storage.path(""), schemaJson, partitionColumns);
    BatchCommit.requireStaged(storage, files);
    tried = true;
    return snapshot.commit(
        new KernelCommit(
            Optional.empty(),
            List.of(),
            files.stream()
                .map(f -> new KernelCommit.Action(LogFiles.kernelFile(f), true, true))
                .toList(),
            evolved.forCommit(),
            false,
            Map.of("mode", "Append"),
            FileMetrics.of(files, List.of()),
            ""));
  }

  private boolean holds(KernelSnapshot snapshot) {
    Set<String> held = new HashSet<>();
    snapshot.files().forEach(file -> held.add(file.path()));
    return files.stream().allMatch(file -> held.contains(file.path()));
  }
}
