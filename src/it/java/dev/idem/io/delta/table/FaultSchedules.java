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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/**
 * Batches committed on a disk that fails as a seed says. Three faults at most that are gone when
 * the operation is tried again end without an error; after any schedule the same batches, given
 * once more, end in the exact table.
 */
final class FaultSchedules {

  private static final Schema SCHEMA =
      Schema.builder().addInt64Field("id").addStringField("writer").build();
  private static final String JSON = DeltaSchemas.toJson(SCHEMA);
  private static final String SINK = "faulty/main";
  private static final int BATCHES = 3;
  private static final int ROWS = 4;

  /** About as many as the batches take; what is drawn beyond them does not come. */
  private static final int OPERATIONS = 110;

  private static final List<Faults.Kind> TRANSIENT =
      List.of(
          Faults.Kind.FAIL_BEFORE,
          Faults.Kind.FAIL_AFTER,
          Faults.Kind.DELAY,
          Faults.Kind.DUPLICATE,
          Faults.Kind.PARTIAL_WRITE);

  /** As Spark does it: a task that failed is run again, three times at most. */
  private static final int TASK_ATTEMPTS = 4;

  private final Path directory;
  private final Map<String, Integer> hits = new TreeMap<>();
  private final Map<Faults.Kind, Integer> kinds = new EnumMap<>(Faults.Kind.class);

  FaultSchedules(Path directory) {
    this.directory = directory;
  }

  /**
   * Asserts that after every schedule the table is exact, that three transient faults end without
   * an error, and that each kind of fault came often enough.
   */
  void assertAllEndExact(long seed, int schedules, int leastOfEachKind) throws IOException {
    System.out.println(schedules + " fault schedules with seed " + seed);
    Random seeds = new Random(seed);
    int failed = 0;
    for (int i = 0; i < schedules; i++) {
      failed += new Schedule(i, seeds.nextLong()).run() ? 0 : 1;
    }
    System.out.println("ended with an error: " + failed + ", faults: " + kinds);
    hits.forEach((fault, times) -> System.out.println("  " + fault + ": " + times));
    for (Faults.Kind kind : Faults.Kind.values()) {
      assertThat(kind + "", kinds.getOrDefault(kind, 0), greaterThanOrEqualTo(leastOfEachKind));
    }
  }

  /** One table and its faults. */
  private final class Schedule {

    private final String name;
    private final Path path;
    private final boolean mild;
    private final Faults faults;
    private final Random random;
    private final List<Long> rivalRows = new ArrayList<>();

    /** The batch that is being committed, for a rival that commits it first. */
    private long current;

    Schedule(int number, long seed) {
      this.name = "schedule " + number + " with seed " + seed;
      this.path = directory.resolve("t" + number);
      this.random = new Random(seed);
      this.mild = random.nextInt(3) > 0;
      List<Faults.Kind> kinds = new ArrayList<>(TRANSIENT);
      if (!mild) {
        kinds.add(Faults.Kind.DEATH);
      }
      this.faults =
          new Faults(
              random,
              mild ? 1 + random.nextInt(3) : 4 + random.nextInt(16),
              OPERATIONS,
              kinds,
              this::rival,
              hits);
    }

    /** Returns whether the batches ended without an error before they were given once more. */
    boolean run() throws IOException {
      boolean ended = attempt();
      faults.kinds().forEach((kind, times) -> kinds.merge(kind, times, Integer::sum));
      commitAll();
      assertExact();
      delete(path);
      return ended;
    }

    private boolean attempt() throws IOException {
      DurableFiles.Observation observation = DurableFiles.observe(path, faults);
      try {
        commitAll();
        return true;
      } catch (IOException | RuntimeException | Faults.Death e) {
        if (mild) {
          throw new AssertionError(name + " must end without an error, but did not.", e);
        }
        return false;
      } finally {
        faults.stop();
        observation.close();
      }
    }

    private DeltaTable table() {
      return DeltaTable.at(path.toString(), Map.of()).withSleeper(millis -> {});
    }

    private void commitAll() throws IOException {
      for (current = 0; current < BATCHES; current++) {
        table().commit(batch(current).withoutGaps());
      }
    }

    private DeltaCommit batch(long batch) throws IOException {
      return commit(SINK, batch, rows(batch, "main"));
    }

    private DeltaCommit commit(String sink, long batch, List<Row> rows) throws IOException {
      return DeltaCommit.of(sink, batch, "plan-" + batch, "content-" + batch, JSON)
          .withTableProperties(Map.of("delta.checkpointInterval", "2"))
          .withFiles(written(rows));
    }

    private List<Row> rows(long batch, String writer) {
      return Stream.iterate(batch * ROWS, id -> id + 1)
          .limit(ROWS)
          .map(id -> Row.withSchema(SCHEMA).addValues(id, writer).build())
          .toList();
    }

    private List<DataFile> written(List<Row> rows) throws IOException {
      for (int attempt = 1; ; attempt++) {
        try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(path.toString(), JSON))) {
          for (Row row : rows) {
            writer.write(row);
          }
          return writer.finish();
        } catch (IOException e) {
          if (attempt == TASK_ATTEMPTS) {
            throw e;
          }
        }
      }
    }

    /** Commits rows of another writer, or the very batch as a paused process would. */
    private void rival() throws IOException {
      if (random.nextBoolean()
          && table().record(SINK).map(DeltaRecord::batch).orElse(-1L) >= current - 1) {
        table().commit(batch(current));
      } else {
        long batch = rivalRows.size();
        table().commit(commit("rival/main", batch, List.of(rows(batch, "rival").get(0))));
        rivalRows.add(batch * ROWS);
      }
    }

    private void assertExact() throws IOException {
      List<String> found =
          DeltaRows.read(path.toString()).toList().stream()
              .map(row -> row.getString("writer") + " " + row.getInt64("id"))
              .toList();
      TreeSet<String> expected = new TreeSet<>();
      for (long id = 0; id < BATCHES * ROWS; id++) {
        expected.add("main " + id);
      }
      rivalRows.forEach(id -> expected.add("rival " + id));
      TreeSet<String> missing = new TreeSet<>(expected);
      missing.removeAll(found);
      TreeSet<String> extra = new TreeSet<>(found);
      extra.removeAll(expected);
      assertThat(
          name,
          "count %d, distinct %d, missing %s, extra %s"
              .formatted(found.size(), new TreeSet<>(found).size(), missing, extra),
          is(
              "count %d, distinct %d, missing [], extra []"
                  .formatted(expected.size(), expected.size())));
      assertThat(name + ": batches in the log", batches(), is(List.of(0L, 1L, 2L)));
    }

    /** Returns the batch ids of the sink in the order of the log, each as often as it is there. */
    private List<Long> batches() throws IOException {
      List<Long> batches = new ArrayList<>();
      String txn = "{\"txn\":{\"appId\":\"" + SINK + "\",\"version\":";
      try (Stream<Path> log = Files.list(path.resolve("_delta_log"))) {
        for (Path entry :
            log.filter(f -> f.getFileName().toString().matches("\\d{20}\\.json"))
                .sorted()
                .toList()) {
          for (String line : Files.readAllLines(entry)) {
            if (line.startsWith(txn)) {
              batches.add(Long.parseLong(line.substring(txn.length()).replaceFirst("\\D.*", "")));
            }
          }
        }
      }
      return batches;
    }
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> files = Files.walk(tree)) {
      for (Path file : files.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
