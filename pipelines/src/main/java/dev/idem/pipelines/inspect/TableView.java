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
package dev.idem.pipelines.inspect;

import dev.idem.io.checkpoint.CheckpointMetadata;
import dev.idem.io.delta.error.DamagedRecordException;
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.TableState;
import dev.idem.io.file.Storage;
import dev.idem.pipelines.targets.DeltaTarget;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;

/**
 * A table of a job as it is now.
 *
 * @param role what the job keeps in it
 * @param path the table
 * @param state its current version, empty if there is no table
 * @param rows the rows in its files
 * @param files the number of its files
 * @param bytes the size of its files
 * @param keys the number of different keys, of a memory only
 * @param held what it remembers of the job's batches, by sink
 * @param problems what is wrong with it
 */
record TableView(
    Role role,
    String path,
    Optional<TableState> state,
    long rows,
    int files,
    long bytes,
    OptionalLong keys,
    List<DeltaRecord> held,
    List<String> problems) {

  /** What a job keeps in a table. */
  enum Role {
    ROWS("rows"),
    DEAD_LETTERS("dead letters"),
    MEMORY("memory");

    private final String label;

    Role(String label) {
      this.label = label;
    }

    String label() {
      return label;
    }
  }

  private static final int READ_ATTEMPTS = 10;

  /** Two halves of a 128-bit fingerprint. */
  private record Key(long high, long low) {}

  /**
   * Returns the main table and those that its job keeps beside it; without metadata the application
   * is not known, so that no sink of its and no memory can be told.
   */
  static List<TableView> around(
      String table, Optional<CheckpointMetadata> metadata, Map<String, String> hadoop) {
    Optional<String> application = metadata.map(CheckpointMetadata::applicationId);
    List<TableView> views = new ArrayList<>();
    views.add(of(Role.ROWS, Storage.location("Table path", table), application, hadoop));
    views.add(of(Role.DEAD_LETTERS, DeltaTarget.deadLetterPath(table), application, hadoop));
    application.ifPresent(
        id -> views.add(of(Role.MEMORY, DeltaTarget.memoryPath(table, id), application, hadoop)));
    return List.copyOf(views);
  }

  private static TableView of(
      Role role, String path, Optional<String> application, Map<String, String> hadoop) {
    DeltaTable table = DeltaTable.at(path, hadoop);
    Optional<TableState> state = table.state();
    List<DataFile> files = state.isEmpty() ? List.of() : table.files();
    List<DeltaRecord> held = new ArrayList<>();
    List<String> problems = new ArrayList<>();
    if (state.isPresent() && application.isPresent()) {
      ask(table, application.get() + "/", held, problems);
    }
    return new TableView(
        role,
        path,
        state,
        files.stream().mapToLong(DataFile::rows).sum(),
        files.size(),
        files.stream().mapToLong(DataFile::size).sum(),
        role == Role.MEMORY ? OptionalLong.of(keys(path, hadoop)) : OptionalLong.empty(),
        List.copyOf(held),
        List.copyOf(problems));
  }

  private static void ask(
      DeltaTable table, String prefix, List<DeltaRecord> held, List<String> problems) {
    try {
      for (String sink : table.sinks()) {
        if (sink.startsWith(prefix)) {
          table.record(sink).ifPresent(held::add);
          table.refuseRestored(sink);
        }
      }
    } catch (DamagedRecordException | RestoredTableException e) {
      // To say so is what was asked for.
      problems.add(e.getMessage());
    }
  }

  private static long keys(String path, Map<String, String> hadoop) {
    return reading(
        () -> {
          Set<Key> keys = new HashSet<>();
          DeltaRows.read(path)
              .withHadoopConfiguration(hadoop)
              .select("key_high", "key_low")
              .forEach(row -> keys.add(new Key(row.getInt64("key_high"), row.getInt64("key_low"))));
          return (long) keys.size();
        });
  }

  /** Reads anew if a file is gone: a job at work deletes files of its memory that it has merged. */
  static <T> T reading(Supplier<T> read) {
    for (int attempt = 1; attempt < READ_ATTEMPTS; attempt++) {
      try {
        return read.get();
      } catch (RuntimeException e) {
        if (!isFileGone(e)) {
          throw e;
        }
      }
    }
    return read.get();
  }

  private static boolean isFileGone(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root instanceof NoSuchFileException;
  }
}
