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
import static org.hamcrest.Matchers.is;

import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.testing.Covers.Row;
import dev.idem.testing.KafkaBroker;
import dev.idem.testing.SparkReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that publish Delta tables to topics, halted at every crash point. */
class DeltaToKafkaIT {

  @TempDir Path directory;

  private final KafkaBroker broker = KafkaBroker.shared();
  private Published published = Published.create(broker);

  private List<String> command(String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                "delta-to-kafka",
                "--sourceTable=" + directory.resolve("table"),
                "--bootstrapServers=" + broker.bootstrapServers(),
                "--topic=" + published.topic(),
                "--maxRecordsPerBatch=10",
                "--checkpoint=" + directory.resolve("published")));
    command.removeIf(
        each -> Stream.of(more).anyMatch(own -> own.startsWith(each.replaceAll("=.*", "="))));
    if (Stream.of(more).noneMatch(each -> each.startsWith("--key="))) {
      command.add("--key=id");
    }
    command.addAll(List.of(more));
    return command;
  }

  private Outcome run(String... more) {
    return IdemInProcess.run(command(more).toArray(String[]::new));
  }

  private Outcome fork(String... more) {
    return Forked.idem(command(more));
  }

  /** Returns what {@link Published#rows} holds when each of these events is there once. */
  private static List<String> events(int from, int to) {
    return IntStream.range(from, to)
        .mapToObj(id -> "e" + id + "=" + EventJob.event(id))
        .sorted()
        .toList();
  }

  private long distinctEventIds() {
    return published.records().stream().map(Published.Found::eventId).distinct().count();
  }

  @Test
  @Row({20, 31})
  void crashAtEveryPointLeavesEveryRowOnceForReadersOfCommittedRecords() {
    // Those before the targets are of the driver alone, and halted at with other targets.
    List<CrashPoint> points =
        List.of(
            CrashPoint.BEFORE_TARGET_COMMIT,
            CrashPoint.AFTER_TARGET_WRITE,
            CrashPoint.AFTER_TARGET_COMMIT,
            CrashPoint.BEFORE_COMMITS,
            CrashPoint.AFTER_COMMITS);
    int end = 10 * points.size();
    EventJob table = EventJob.in(directory);
    table.send(0, end);
    table.run().done();

    for (int batch = 0; batch < points.size(); batch++) {
      CrashPoint point = points.get(batch);
      fork("--startingVersion=1", "--crashAt=" + point.option() + ":" + batch).exits(86);
      boolean written = point.compareTo(CrashPoint.BEFORE_TARGET_COMMIT) > 0;
      assertThat(
          point.option(), published.rows(), is(events(0, written ? batch * 10 + 10 : batch * 10)));
    }
    Outcome done = run("--startingVersion=1").done();
    Outcome again = run("--startingVersion=1").done();

    assertThat(done.err() + again.err(), is(""));
    assertThat(published.rows(), is(events(0, end)));
    assertThat(distinctEventIds(), is((long) end));
    assertThat(
        published.records().stream()
            .map(each -> each.batch() + " has " + Integer.parseInt(each.key().substring(1)) / 10)
            .distinct()
            .sorted()
            .toList(),
        is(
            IntStream.range(0, points.size())
                .mapToObj(batch -> batch + " has " + batch)
                .sorted()
                .toList()));
  }

  @Test
  void crashBehindTheWriteLeavesEveryRowOnceOnSpark() {
    EventJob table = EventJob.in(directory);
    table.send(0, 25);
    table.run().done();
    String[] spark = {"--runner=SparkRunner", "--sparkMaster=local[2]"};

    fork("--crashAt=after-target-write", spark[0], spark[1]).exits(86);
    assertThat(published.rows(), is(events(0, 25)));
    fork(spark).done();

    assertThat(published.rows(), is(events(0, 25)));
  }

  @Test
  @Row({20, 31})
  void withoutTransactionsCopiesBearOneEventId() {
    EventJob table = EventJob.in(directory);
    table.send(0, 10);
    table.run().done();
    String[] options = {"--guarantee=at-least-once"};

    fork("--crashAt=after-target-write", options[0]).exits(86);
    Outcome done = run(options).done();
    run(options).done();

    assertThat(done.out(), containsString("target \"topic\" keeps no record of batches"));
    List<String> twice = new ArrayList<>(events(0, 10));
    twice.addAll(events(0, 10));
    assertThat(published.rows(), is(twice.stream().sorted().toList()));
    assertThat(distinctEventIds(), is(10L));
  }

  @Test
  void changesOfATableAreItsRowsOfTheirKeys() {
    String source = "delta.`" + directory.resolve("table") + "`";
    sql(
        "CREATE TABLE %s (id BIGINT, part STRING, name STRING) USING delta TBLPROPERTIES"
                .formatted(source)
            + " (delta.enableChangeDataFeed = true)",
        "INSERT INTO %s VALUES (1, 'a', 'one'), (2, 'a', 'two'), (3, 'b', 'three')"
            .formatted(source));
    run("--onChanges=cdf", "--key=id,part").done();
    sql(
        "UPDATE %s SET name = 'ONE' WHERE id = 1".formatted(source),
        "DELETE FROM %s WHERE id = 2".formatted(source),
        // Each row comes to the key of another one, or leaves one behind.
        "UPDATE %s SET id = id + 1".formatted(source),
        "INSERT OVERWRITE %s VALUES (4, 'b', 'again')".formatted(source));
    run("--onChanges=cdf", "--key=id,part").done();

    Map<String, List<String>> byKey = new TreeMap<>();
    published
        .records()
        .forEach(
            each -> byKey.computeIfAbsent(each.key(), key -> new ArrayList<>()).add(each.value()));
    List<String> expected1 = new ArrayList<>(List.of(row(1, "a", "one"), row(1, "a", "ONE")));
    expected1.add(null);
    List<String> expected2 = new ArrayList<>(List.of(row(2, "a", "two")));
    expected2.add(null);
    expected2.add(row(2, "a", "ONE"));
    expected2.add(null);
    List<String> expected3 = new ArrayList<>(List.of(row(3, "b", "three")));
    expected3.add(null);
    assertThat(
        byKey,
        is(
            Map.of(
                "{\"id\":1,\"part\":\"a\"}", expected1,
                "{\"id\":2,\"part\":\"a\"}", expected2,
                "{\"id\":3,\"part\":\"b\"}", expected3,
                "{\"id\":4,\"part\":\"b\"}", List.of(row(4, "b", "three"), row(4, "b", "again")))));
  }

  private static String row(long id, String part, String name) {
    return "{\"id\":%d,\"part\":\"%s\",\"name\":\"%s\"}".formatted(id, part, name);
  }

  private static void sql(String... statements) {
    for (String statement : statements) {
      SparkReader.shared().sql(statement);
    }
  }

  @Test
  void rowsThatTheTopicDoesNotTakeCountAmongTheDeadLettersOfABatch() {
    sql(
        "CREATE TABLE delta.`%s` (id BIGINT) USING delta".formatted(directory.resolve("table")),
        "INSERT INTO delta.`%s` SELECT if(id < 200, NULL, id) FROM range(1000)"
            .formatted(directory.resolve("table")));

    run("--maxDeadLetters=19%")
        .failed("must be at most 19.0%", "200 of 1000", "200 of them were rejected by targets");
    run("--maxDeadLetters=20%").done();

    assertThat(
        published.rows(),
        is(
            IntStream.range(200, 1000)
                .mapToObj(id -> "%1$d={\"id\":%1$d}".formatted(id))
                .sorted()
                .toList()));
    assertThat(
        JdbcJob.deadLetters(directory.resolve("published_dead_letter")),
        is(Collections.nCopies(200, "rejected by target 1 {\"id\":null}")));
  }

  @Test
  void lostCheckpointAndLostTopicAreRefused() throws IOException {
    EventJob table = EventJob.in(directory);
    table.send(0, 10);
    table.run().done();
    run().done();
    Path checkpoint = directory.resolve("published");
    Files.move(checkpoint, directory.resolve("lost"));

    run().refused("\"topic\"");
    Files.move(checkpoint, directory.resolve("refused"));
    Files.move(directory.resolve("lost"), checkpoint);
    broker.deleteTopic(published.topic());
    run().exits(1);
    broker.createTopic(published.topic(), 2, Map.of());
    run().refused("It was created again");

    assertThat(published.rows(), is(List.of()));
  }

  @Test
  void lostCheckpointIsRestoredFromTheTopic() throws IOException {
    EventJob table = EventJob.in(directory);
    table.send(0, 10);
    table.run().done();
    run().done();
    Files.move(directory.resolve("published"), directory.resolve("lost"));
    table.send(10, 20);
    table.run().done();

    run("--onLostCheckpoint=resume").done();

    assertThat(published.rows(), is(events(0, 20)));
  }

  @Test
  void anotherJobOfTheSameTableIsRefusedUnlessItIsNamed() {
    EventJob table = EventJob.in(directory);
    table.send(0, 10);
    table.run().done();
    String first = "first-" + UUID.randomUUID();
    run("--applicationId=" + first).done();

    run("--checkpoint=" + directory.resolve("other")).refused("\"topic\"", first);
    run("--checkpoint=" + directory.resolve("second"), "--applicationId=second").done();

    List<String> twice = new ArrayList<>(events(0, 10));
    twice.addAll(events(0, 10));
    assertThat(published.rows(), is(twice.stream().sorted().toList()));
    assertThat(distinctEventIds(), is(20L));
  }

  @Test
  void rowsWithoutAKeyAndRowsThatAreTooLargeAreDeadLettersOnce() {
    EventJob table = EventJob.in(directory);
    table.with("--keys", null).with("--eventTime", null);
    table.sendValue("{\"id\":\"e1\",\"at\":\"now\",\"amount\":10}");
    table.sendValue("{\"id\":null,\"at\":\"now\",\"amount\":20}");
    String large = "x".repeat(30_000);
    table.sendValue("{\"id\":\"e3\",\"at\":\"%s\",\"amount\":30}".formatted(large));
    table.sendValue("{\"id\":\"e4\",\"at\":\"now\",\"amount\":40}");
    table.run().done();
    published = Published.create(broker, Map.of("max.message.bytes", "20000"));

    // The topic has the batch, and what it did not take is in no table.
    fork("--crashAt=between-targets").exits(86);
    run().done();

    assertThat(
        published.rows(),
        is(
            List.of(
                "e1={\"id\":\"e1\",\"at\":\"now\",\"amount\":10}",
                "e4={\"id\":\"e4\",\"at\":\"now\",\"amount\":40}")));
    assertThat(
        JdbcJob.deadLetters(directory.resolve("published_dead_letter")),
        is(
            List.of(
                "rejected by target 1 {\"id\":\"e3\",\"at\":\"%s\",\"amount\":30}".formatted(large),
                "rejected by target 1 {\"id\":null,\"at\":\"now\",\"amount\":20}")));
  }
}
