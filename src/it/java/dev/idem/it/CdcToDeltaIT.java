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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import dev.idem.testing.SparkReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.beam.sdk.values.Row;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Jobs that merge change events into a table. */
class CdcToDeltaIT {

  private static final int CHANGES = 1_500;
  private static final int KEYS = 120;
  private static final long SEED = 20_261_130;

  /** Where the batches are crashed, each in one of its own. */
  private static final List<CrashPoint> POINTS =
      List.of(
          CrashPoint.AFTER_OFFSETS,
          CrashPoint.MID_WRITE,
          CrashPoint.BEFORE_TARGET_COMMIT,
          CrashPoint.BETWEEN_TARGETS,
          CrashPoint.AFTER_TARGET_COMMIT);

  @TempDir private Path directory;

  private final String topic = "changes-" + UUID.randomUUID();

  /** A change of a row, as it is sent. */
  private record Change(long id, long seq, boolean delete, String value) {
    String json() {
      return "{\"id\":%d,\"seq\":%d,\"op\":\"%s\",\"value\":%s}"
          .formatted(id, seq, delete ? "delete" : "upsert", delete ? "null" : "\"" + value + "\"");
    }
  }

  @BeforeEach
  void createTopic() {
    KafkaBroker.shared().createTopic(topic, 2, Map.of());
  }

  private static List<Change> changes() {
    Random random = new Random(SEED);
    List<Change> changes = new ArrayList<>();
    for (int seq = 0; seq < CHANGES; seq++) {
      changes.add(new Change(random.nextInt(KEYS), seq, random.nextInt(4) == 0, "v" + seq));
    }
    Collections.shuffle(changes, random);
    return changes;
  }

  private void send(List<String> values) {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < values.size(); i++) {
      records.add(
          new ProducerRecord<>(topic, i % 2, null, values.get(i).getBytes(StandardCharsets.UTF_8)));
    }
    KafkaBroker.shared().sendAll(records);
  }

  /** Returns the rows after all changes in the order of their sequence. */
  private static List<String> latest(List<Change> changes) {
    Map<Long, Change> latest = new TreeMap<>();
    changes.stream()
        .sorted(Comparator.comparingLong(Change::seq))
        .forEach(change -> latest.put(change.id(), change));
    return latest.values().stream()
        .filter(change -> !change.delete())
        .map(change -> change.id() + " " + change.value())
        .sorted()
        .toList();
  }

  private Path table() {
    return directory.resolve("table");
  }

  private List<String> command(String... more) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "cdc-to-delta",
                "--bootstrapServers=" + KafkaBroker.shared().bootstrapServers(),
                "--topics=" + topic,
                "--table=" + table(),
                "--checkpoint=" + directory.resolve("checkpoint"),
                "--keys=id",
                "--sequenceBy=seq",
                "--deleteWhen=op=delete",
                "--except=op,seq"));
    arguments.addAll(List.of(more));
    return arguments;
  }

  private Outcome run(String... more) {
    return IdemInProcess.run(command(more).toArray(String[]::new));
  }

  private static List<String> rows(Path table) {
    return DeltaRows.read(table.toString()).toList().stream()
        .map(row -> row.getValue("id") + " " + row.getValue("value"))
        .sorted()
        .toList();
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row({14, 39, 62})
  void crashesEndInTheTableOfTheSortedChanges(JobRunner runner) throws IOException {
    List<Change> changes = changes();
    send(changes.stream().map(Change::json).toList());
    String[] options = {
      runner == JobRunner.DIRECT ? "--mergeMode=copy-on-write" : "--mergeMode=merge-on-read",
      "--maxRecordsPerBatch=300",
      "--metadataColumns=batch_id"
    };

    for (int batch = 0; batch < POINTS.size(); batch++) {
      List<String> all = new ArrayList<>(command(options));
      all.addAll(runner.options());
      all.add("--crashAt=" + POINTS.get(batch).option() + ":" + batch);
      Forked.idem(all).exits(CrashPoint.EXIT_CODE);
    }
    run(options).done();

    assertThat(rows(table()), equalTo(latest(changes)));
    assertThat(batches(), equalTo(batches(changes)));
    assertThat(SparkReader.shared().count(table(), "id").rows(), is((long) latest(changes).size()));
    List<Row> kept = DeltaRows.read(directory.resolve("table_changes").toString()).toList();
    assertThat(
        "kept twice",
        kept.stream()
            .map(row -> row.getValue("id") + "@" + row.getValue("_idem_sequence"))
            .distinct()
            .count(),
        is((long) kept.size()));
    assertThat(staged(), is(List.of()));
    assertThat(run(options).done().out(), containsString("done: 0 batches run"));
  }

  /** Returns the batch and the sequence that each row of the table is from. */
  private List<String> batches() {
    return DeltaRows.read(table().toString()).toList().stream()
        .map(
            row ->
                row.getValue("id")
                    + " "
                    + row.getValue("_batch_id")
                    + " "
                    + row.getValue("_idem_sequence"))
        .sorted()
        .toList();
  }

  /** Returns the same of changes in the order in which they are sent, 150 a batch and partition. */
  private static List<String> batches(List<Change> changes) {
    Map<Long, Integer> latest = new TreeMap<>();
    for (int i = 0; i < changes.size(); i++) {
      int sent = i;
      latest.merge(
          changes.get(i).id(),
          i,
          (before, now) -> changes.get(before).seq() > changes.get(sent).seq() ? before : sent);
    }
    return latest.values().stream()
        .filter(index -> !changes.get(index).delete())
        .map(index -> changes.get(index).id() + " " + index / 300 + " " + changes.get(index).seq())
        .sorted()
        .toList();
  }

  /** Returns what is left of what only merges need. */
  private List<String> staged() throws IOException {
    List<String> staged = new ArrayList<>();
    for (Path each :
        List.of(table().resolve("_idem/merge"), directory.resolve("checkpoint/staging"))) {
      if (Files.isDirectory(each)) {
        try (Stream<Path> files = Files.list(each)) {
          files.map(Path::toString).forEach(staged::add);
        }
      }
    }
    return staged;
  }

  @Test
  void historyIsKeptAndWhatIsNoChangeIsADeadLetter() {
    send(
        List.of(
            "{\"id\":1,\"seq\":5,\"op\":\"upsert\",\"value\":\"b\"}",
            "{\"id\":1,\"seq\":1,\"op\":\"upsert\",\"value\":\"a\"}",
            "{\"id\":null,\"seq\":2,\"op\":\"upsert\",\"value\":\"x\"}",
            "{\"id\":2,\"seq\":null,\"op\":\"delete\",\"value\":null}",
            "{\"id\":1,\"seq\":9,\"op\":\"delete\",\"value\":null}"));

    run("--scd=2", "--maxRecordsPerBatch=2").done();

    assertThat(
        DeltaRows.read(table().toString()).toList().stream()
            .map(row -> row.getValues().toString())
            .sorted()
            .toList(),
        equalTo(List.of("[1, a, 1, 5]", "[1, b, 5, 9]")));
    assertThat(
        DeltaRows.read(directory.resolve("table_dead_letter").toString()).toList().stream()
            .map(row -> row.getString("reason") + " " + row.getString("column"))
            .sorted()
            .toList(),
        equalTo(List.of("missing field seq", "null key id")));
  }

  @Test
  void rulesCannotChangeBetweenBatchesAndWhatIsKeptBesideCannotBeLost() throws IOException {
    send(
        List.of(
            "{\"id\":1,\"seq\":5,\"op\":\"upsert\",\"value\":\"b\"}",
            "{\"id\":1,\"seq\":6,\"op\":\"delete\",\"value\":null}"));
    run().done();

    run("--ignoreNullUpdates").refused("merge table");
    run("--scd=3").exits(2);
    run("--mergeMode=both").exits(2);
    run("--columns=id").exits(2);
    Files.move(directory.resolve("table_changes"), directory.resolve("elsewhere"));
    run().refused("table-changes");
    Files.move(directory.resolve("elsewhere"), directory.resolve("table_changes"));
    send(List.of("{\"id\":1,\"seq\":5,\"op\":\"upsert\",\"value\":\"late\"}"));
    run().done();
    assertThat(rows(table()), is(List.of()));
  }
}
