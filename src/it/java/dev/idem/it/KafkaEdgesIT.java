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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.testing.Covers.Case;
import dev.idem.testing.Covers.Row;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a topic may hold, lose and become, through the whole job. */
class KafkaEdgesIT {

  @TempDir Path directory;

  @Test
  @Case("DEV-22")
  void offsetsOutOfRetentionAreRefusedOrCountedByWish() {
    EventJob job = EventJob.in(directory).with("--maxRecordsPerBatch", "1000");
    job.send(0, 40);
    job.run().done();
    job.send(40, 100);
    job.broker.deleteRecords(job.topic, 0, 55);

    job.run()
        .refused(job.topic + "-0", "offset 40,", "earliest offset is: 55", "--onDataLoss=continue");
    assertThat(job.batches(), contains("0:COMMITTED"));
    job.run("--onDataLoss=continue").done();

    assertThat(job.count(1, "lost"), is(15L));
    assertThat(job.count(1, "read"), is(45L));
    assertThat(
        job.rows(),
        is(
            Stream.concat(EventJob.events(0, 40).stream(), EventJob.events(55, 100).stream())
                .sorted()
                .toList()));
  }

  @Test
  void pendingBatchOutOfRetentionIsReplayedWithWhatIsLeft() {
    EventJob job = EventJob.in(directory).with("--maxRecordsPerBatch", "1000");
    job.send(0, 20);
    job.crash("after-offsets");
    job.broker.deleteRecords(job.topic, 0, 15);

    job.run().refused("offset 0,", "earliest offset is: 15", "--onDataLoss=continue");
    job.run("--onDataLoss=continue").done();

    assertThat(job.rows(), is(EventJob.events(15, 20)));
    assertThat(job.count(0, "lost"), is(15L));
    assertThat(job.count(0, "read"), is(5L));
  }

  @Test
  @Case("DEV-22")
  void offsetsRemovedByCompactionAreNotLost() {
    EventJob job = EventJob.in(directory).with("--maxRecordsPerBatch", "8");
    CompactedTopic topic = CompactedTopic.with(job.broker, "compacted-" + job.topic);
    job.with("--topics", topic.name());
    topic.send(0, 40, offset -> "a", EventJob::event);
    for (String treatment : List.of("fail", "continue")) {
      Path own = directory.resolve(treatment);
      job.run(
              "--maxRecordsPerBatch=40",
              "--table=" + own.resolve("table"),
              "--checkpoint=" + own.resolve("checkpoint"))
          .done();
    }
    topic.send(40, 49, KafkaEdgesIT::compactedKey, EventJob::event);
    topic.awaitLeft(40, List.of(40L, 43L, 47L, 48L));

    for (String treatment : List.of("fail", "continue")) {
      Path own = directory.resolve(treatment);
      job.run(
              "--onDataLoss=" + treatment,
              "--table=" + own.resolve("table"),
              "--checkpoint=" + own.resolve("checkpoint"))
          .done();

      CheckpointView.Batch batch = EventJob.view(own.resolve("checkpoint")).batches().get(1);
      Map<String, Long> counts = batch.commit().orElseThrow().summary().counts();
      assertThat(counts.get("read"), is(3L));
      assertThat(counts.containsKey("lost"), is(false));
      assertThat(batch.plan().orElseThrow().ranges().get(0).end(), is(48L));
      assertThat(
          EventJob.rows(own.resolve("table")).stream()
              .filter(row -> row.matches("e4\\d=.*"))
              .toList(),
          contains("e40=400", "e43=430", "e47=470", "e48=480"));
    }
  }

  private static String compactedKey(int offset) {
    if (offset == 40) {
      return "a";
    }
    return offset <= 43 ? "c" : offset <= 47 ? "d" : "e";
  }

  @Test
  @Case("DEV-24")
  void nullKeysAreOrdinaryAndNullValuesAreDeadLetters() {
    EventJob job = EventJob.in(directory);
    job.broker.send(job.topic, 0, "k1", EventJob.event(1));
    job.broker.send(job.topic, 0, "k2", EventJob.event(2));
    job.broker.send(job.topic, 0, null, EventJob.event(3));
    job.broker.send(job.topic, 0, "k1", null);
    job.broker.send(job.topic, 0, "k3", null);

    job.run("--maxDeadLetters=100%").done();

    assertThat(job.count(0, "read"), is(5L));
    assertThat(job.rows(), is(EventJob.events(1, 4)));
    assertThat(
        DeadLetter.of(job),
        containsInAnyOrder(
            new DeadLetter("null value", null, "k1", null, 3, 0),
            new DeadLetter("null value", null, "k3", null, 4, 0)));
  }

  @Test
  void anotherClusterIsRefused() {
    try (KafkaBroker other = KafkaBroker.start()) {
      EventJob job = EventJob.in(directory);
      job.send(0, 10);
      job.run().done();
      other.createTopic(job.topic, 1, Map.of());
      other.sendAll(
          IntStream.range(0, 20).mapToObj(id -> job.record(0, EventJob.event(id))).toList());

      job.run("--bootstrapServers=" + other.bootstrapServers())
          .refused("Kafka cluster must be the one", "--bootstrapServers", "--applicationId");

      assertThat(job.rows(), is(EventJob.events(0, 10)));
    }
  }

  @Test
  void newPartitionIsReadFromItsStart() throws Exception {
    EventJob job = EventJob.in(directory).with("--startingOffsets", "latest");
    job.send(0, 10);
    job.run().done();
    assertThat(job.batches(), is(empty()));
    job.run("--startingOffsets=earliest").done();
    job.broker.admin().createPartitions(Map.of(job.topic, NewPartitions.increaseTo(2))).all().get();
    job.broker.sendAll(
        IntStream.range(10, 15).mapToObj(id -> job.record(1, EventJob.event(id))).toList());

    job.run().done();

    assertThat(job.rows(), is(EventJob.events(0, 15)));
  }

  @Test
  @Row(67)
  void emptyTopicPlansNothing() {
    EventJob job = EventJob.in(directory);

    job.run().done();

    assertThat(job.batches(), is(empty()));
    assertThat(Files.exists(job.table()), is(false));
    job.send(0, 5);
    job.run().done();
    assertThat(job.rows(), is(EventJob.events(0, 5)));
    Map<String, Long> versions = job.versions();
    job.run().done();
    assertThat(job.versions(), is(versions));
  }

  @Test
  void batchOfMalformedRecordsIsRecordedWithoutRows() {
    EventJob job = EventJob.in(directory);
    job.send(0, 10);
    job.run().done();
    IntStream.range(0, 10).forEach(i -> job.sendValue("{\"id\":" + i));
    job.send(10, 12);

    job.run().done();

    assertThat(job.batches(), contains("0:COMMITTED", "1:COMMITTED", "2:COMMITTED"));
    assertThat(job.count(1, "invalid"), is(10L));
    assertThat(job.rows(), is(EventJob.events(0, 12)));
    assertThat(job.deadLetterRows().size(), is(10));
  }

  @Test
  void firstBatchInWhichNothingParsesIsNotPlanned() {
    EventJob job = EventJob.in(directory);
    job.sendValue("no JSON");
    job.sendValue("[1]");

    job.run().failed("The first batch must hold a record", job.topic, "--schema=FILE");

    assertThat(job.batches(), is(empty()));
    assertThat(Files.exists(job.table()), is(false));
  }

  @Test
  void valuesThatNoColumnHoldsAreDeadLetters() throws IOException {
    EventJob job = EventJob.in(directory).with("--maxDeadLetters", "100%");
    Path schema =
        Files.writeString(
            directory.resolve("schema.json"),
            """
            {"type":"struct","fields":[
            {"name":"id","type":"string","nullable":true,"metadata":{}},
            {"name":"at","type":"timestamp","nullable":true,"metadata":{}},
            {"name":"day","type":"date","nullable":true,"metadata":{}},
            {"name":"amount","type":"decimal(9,0)","nullable":true,"metadata":{}}]}
            """);
    job.sendValue("{\"id\":\"e0\",\"at\":9223372036854775807}");
    job.sendValue("{\"id\":\"e0\",\"at\":\"+999999-01-01T00:00:00Z\"}");
    job.sendValue("{\"id\":\"e0\",\"at\":\"+999999999-12-31T23:59:59Z\"}");
    job.sendValue("{\"id\":\"e0\",\"at\":0,\"day\":\"+999999999-12-31\"}");
    job.sendValue("{\"id\":\"e0\",\"at\":0,\"amount\":1e100000000}");
    job.sendValue("{\"id\":\"e0\",\"at\":0,\"amount\":0e-100000000}");

    job.run("--schema=" + schema).done();

    assertThat(job.rows(), contains("e0=0"));
    assertThat(
        DeadLetter.of(job).stream()
            .map(each -> each.reason() + " " + each.column() + " " + each.offset())
            .toList(),
        containsInAnyOrder(
            "parse error at 0",
            "parse error at 1",
            "parse error at 2",
            "parse error day 3",
            "parse error amount 4"));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"DirectRunner", "SparkRunner"})
  void recordTimestampInNanosecondsIsTheLastThatTablesHold(String runner) {
    long nanoseconds = 1_700_000_000_000_000_000L;
    Instant last = Instant.parse("+294247-01-10T04:00:54.775Z");
    EventJob job =
        EventJob.in(directory)
            .with("--eventTime", null)
            .with("--maxDeadLetters", "100%")
            .with("--dedupHorizon", "30d")
            .with("--metadataColumns", "timestamp");
    for (String value : List.of(EventJob.event(1), EventJob.event(1), "bad")) {
      job.broker.sendAll(
          List.of(new ProducerRecord<>(job.topic, 0, nanoseconds, null, value.getBytes(UTF_8))));
    }
    job.send(2, 3);

    job.run(Runners.options(runner)).done();

    assertThat(job.rows(), is(EventJob.events(1, 3)));
    assertThat(job.count(0, "duplicates"), is(1L));
    assertThat(
        DeltaRows.read(job.table().toString()).select("id", "_timestamp").toList().stream()
            .filter(row -> row.getString("id").equals("e1"))
            .map(row -> row.getLogicalTypeValue("_timestamp", Instant.class))
            .toList(),
        contains(last));
    assertThat(
        job.deadLetterRows().stream()
            .map(row -> row.getLogicalTypeValue("timestamp", Instant.class))
            .toList(),
        contains(last));
  }

  @ParameterizedTest(name = "schema given: {0}")
  @ValueSource(booleans = {false, true})
  void topicThatBeginsWithoutRecordsIsReadToItsEnd(boolean given) throws IOException {
    EventJob job = EventJob.in(directory);
    String[] options = {"--maxRecordsPerBatch=3"};
    if (given) {
      options = new String[] {options[0], "--schema=" + eventSchema()};
    }
    job.broker.sendInTransaction(
        "aborted-" + job.topic,
        false,
        IntStream.range(100, 110).mapToObj(id -> job.record(0, EventJob.event(id))).toList());

    job.run(options).done();
    // With nothing but ten aborted records and a marker there is no schema to infer yet.
    List<String> first = given ? committed(4) : List.of();
    assertThat(job.batches(), is(first));
    job.send(0, 5);
    job.run(options).done();

    assertThat(job.rows(), is(EventJob.events(0, 5)));
    assertThat(job.count(0, "read"), is(0L));
    assertThat(job.batches(), is(committed(6)));
    assertThat(job.deadLetterRows(), is(empty()));
  }

  private static List<String> committed(int batches) {
    return IntStream.range(0, batches).mapToObj(batch -> batch + ":COMMITTED").toList();
  }

  @Test
  @Row(42)
  void tooManyDeadLettersFailTheBatchBeforeAnyCommit() {
    EventJob job = EventJob.in(directory).with("--maxRecordsPerBatch", "2000");
    job.send(0, 899);
    List<ProducerRecord<byte[], byte[]>> bad = new ArrayList<>();
    IntStream.range(0, 101).forEach(i -> bad.add(job.record(0, "bad")));
    job.broker.sendAll(bad);

    job.run().failed("10.0%", "batch 0 has 101 of 1000", "--maxDeadLetters");

    assertThat(Files.exists(job.table().resolve("_delta_log")), is(false));
    assertThat(Files.exists(job.deadLetters().resolve("_delta_log")), is(false));
    assertThat(job.batches(), contains("0:PENDING"));
    job.run("--maxDeadLetters=10.1%").done();
    assertThat(job.rows(), is(EventJob.events(0, 899)));
    assertThat(job.deadLetterRows().size(), is(101));
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"DirectRunner", "SparkRunner"})
  @Row(17)
  void sameKeyWithOtherContentIsAConflictInOneBatchAndOverTwo(String runner) {
    EventJob job = EventJob.in(directory);
    String other = "{\"id\":\"e1\",\"at\":\"2026-01-01T00:00:01Z\",\"amount\":9}";
    job.send(0, 2);
    job.sendValue(other);
    job.run(Runners.options(runner)).done();
    job.sendValue(other);
    job.run(Runners.options(runner)).done();

    assertThat(job.rows(), is(EventJob.events(0, 2)));
    assertThat(
        DeadLetter.of(job),
        containsInAnyOrder(
            new DeadLetter("conflict", "id", null, other, 2, 0),
            new DeadLetter("conflict", "id", null, other, 3, 1)));
    assertThat(job.count(0, "conflicts") + job.count(1, "conflicts"), is(2L));
  }

  @Test
  void deadLettersSayWhatTheyWereOnceEvenAfterACrash() throws IOException {
    EventJob job = EventJob.in(directory);
    job.send(0, 2);
    job.broker.send(
        job.topic, 0, "a", "{\"id\":\"x\",\"at\":\"2026-01-01T00:00:01Z\",\"amount\":\"ten\"}");
    job.broker.send(
        job.topic, 0, "b", "{\"id\":null,\"at\":\"2026-01-01T00:00:01Z\",\"amount\":1}");
    job.broker.send(job.topic, 0, "c", "{\"id\":\"y\",\"amount\":1}");
    job.broker.send(
        job.topic, 0, "d", "{\"id\":\"e1\",\"at\":\"2026-01-01T00:00:01Z\",\"amount\":9}");
    job.broker.send(job.topic, 0, "e", "{\"id\":\"z\",\"at\":\"2026-01-01T00:00:01Z\",\"new\":1}");
    job.with("--schema", eventSchema().toString());
    job.crash("between-targets");
    job.crash("between-targets");
    assertThat(Files.exists(job.table().resolve("_delta_log")), is(false));

    job.run().done();

    List<DeadLetter> all = DeadLetter.of(job);
    assertThat(
        all.stream().map(each -> each.reason() + " " + each.column() + " " + each.key()).toList(),
        containsInAnyOrder(
            "parse error amount a",
            "null key id b",
            "missing field at c",
            "conflict id d",
            "parse error new e"));
    assertThat(
        all,
        hasItem(
            new DeadLetter(
                "parse error",
                "amount",
                "a",
                "{\"id\":\"x\",\"at\":\"2026-01-01T00:00:01Z\",\"amount\":\"ten\"}",
                2,
                0)));
    assertThat(job.rows(), is(EventJob.events(0, 2)));
    assertThat(
        job.deadLetterRows().stream()
            .map(row -> row.getString("topic") + " " + row.getString("application_id"))
            .distinct()
            .toList(),
        contains(job.topic + " kafka-to-delta:" + job.topic));
  }

  private Path eventSchema() throws IOException {
    return Files.writeString(
        directory.resolve("schema.json"),
        """
        {"type":"struct","fields":[
        {"name":"id","type":"string","nullable":true,"metadata":{}},
        {"name":"at","type":"string","nullable":true,"metadata":{}},
        {"name":"amount","type":"long","nullable":true,"metadata":{}}]}
        """);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"DirectRunner", "SparkRunner"})
  @Case("DEV-02")
  void rowsWithoutAnIdDoNotCollapseIntoOne(String runner) {
    EventJob job = EventJob.in(directory).with("--eventTime", null);
    job.sendValue("{\"id\":\"e1\",\"amount\":1}");
    job.sendValue("{\"id\":null,\"amount\":5}");
    job.sendValue("{\"id\":null,\"amount\":7}");
    job.sendValue("{\"amount\":9}");
    job.sendValue("{\"id\":\"e1\",\"amount\":1}");
    job.sendValue("{\"id\":\"null\",\"amount\":11}");

    job.run(Runners.options(runner)).done();

    assertThat(job.rows(), contains("e1=1", "null=11"));
    assertThat(
        DeadLetter.of(job).stream().map(each -> each.reason() + " " + each.offset()).toList(),
        containsInAnyOrder("null key 1", "null key 2", "null key 3"));
    assertThat(job.count(0, "duplicates"), is(1L));
  }

  @Test
  void unknownFieldsAreDeadLettersLeftOutOrFatal() {
    String more = "{\"id\":\"e9\",\"at\":\"2026-01-01T00:00:09Z\",\"amount\":90,\"secret\":\"s3\"}";
    for (String treatment : List.of("dead-letter", "ignore", "fail")) {
      EventJob job = EventJob.in(directory.resolve(treatment));
      job.send(0, 5);
      job.run().done();
      job.sendValue(more);

      Outcome outcome = job.run("--unknownFields=" + treatment);

      List<String> rows = new ArrayList<>(EventJob.events(0, 5));
      switch (treatment) {
        case "dead-letter" -> {
          outcome.done();
          assertThat(
              DeadLetter.of(job),
              contains(new DeadLetter("parse error", "secret", null, more, 5, 1)));
        }
        case "ignore" -> {
          outcome.done();
          rows.add("e9=90");
        }
        default -> {
          outcome.failed("\"secret\"", "--unknownFields=ignore");
          assertThat(outcome.err(), not(containsString("s3")));
        }
      }
      assertThat(job.rows(), is(rows));
    }
  }

  @Test
  void secretsOfTheClientAreNowhere() throws IOException {
    EventJob job = EventJob.in(directory).with("--bootstrapServers", null);
    Path password = directory.resolve("password");
    Files.writeString(password, KafkaBroker.SASL_PASSWORD);
    Path config = directory.resolve("client.properties");
    Files.writeString(
        config,
        String.join(
            "\n",
            "bootstrap.servers=" + job.broker.saslBootstrapServers(),
            "security.protocol=SASL_PLAINTEXT",
            "sasl.mechanism=PLAIN",
            "default.api.timeout.ms=8000",
            "sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required"
                + " username=\""
                + KafkaBroker.SASL_USER
                + "\" password=\"${file:"
                + password
                + "}\";"));
    job.with("--kafkaConfig", config.toString());
    job.send(0, 10);

    Outcome outcome = job.run().done();

    assertThat(job.rows(), is(EventJob.events(0, 10)));
    Files.writeString(password, "wrong-" + KafkaBroker.SASL_PASSWORD);
    job.send(10, 20);
    Outcome refused = job.run().exits(1);
    for (String said : List.of(outcome.out(), outcome.err(), refused.out(), refused.err())) {
      assertThat(said, not(containsString(KafkaBroker.SASL_PASSWORD)));
    }
    assertThat(job.view().toString(), not(containsString(KafkaBroker.SASL_PASSWORD)));
    for (Path root : List.of(job.checkpoint(), job.table(), job.deadLetters(), job.memory())) {
      try (Stream<Path> files = Files.walk(root)) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          assertThat(
              file.toString(),
              new String(Files.readAllBytes(file), UTF_8),
              not(containsString(KafkaBroker.SASL_PASSWORD)));
        }
      }
    }
  }
}
