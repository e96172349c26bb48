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
package dev.idem.io.kafka.publish;

import static dev.idem.io.kafka.publish.Topics.assertHolds;
import static dev.idem.io.kafka.publish.Topics.config;
import static dev.idem.io.kafka.publish.Topics.event;
import static dev.idem.io.kafka.publish.Topics.events;
import static dev.idem.io.kafka.publish.Topics.textOf;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.testing.Covers;
import dev.idem.testing.RunnerUnderTest;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.apache.beam.runners.spark.SparkPipelineOptions;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.joda.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class PublishInTransactionsTest {

  private static final long SEED = 20_261_201;

  private String topic;

  @BeforeEach
  void createTopic() {
    topic = Topics.create();
  }

  private PublishInTransactions publish() {
    return KafkaPublishIO.publishInTransactions("shop").to(topic).withConfig(config());
  }

  private static void run(
      RunnerUnderTest runner,
      PublishInTransactions publish,
      List<KafkaEvent> events,
      boolean already) {
    run(runner.options(), publish, events, already);
  }

  private static void run(
      PipelineOptions options,
      PublishInTransactions publish,
      List<KafkaEvent> events,
      boolean already) {
    Pipeline pipeline = Pipeline.create(options);
    PCollection<PublishOutcome> outcomes =
        pipeline.apply(Create.of(events).withCoder(KafkaEventCoder.of())).apply(publish);
    int records = events.size();
    PAssert.thatSingleton(outcomes)
        .satisfies(
            outcome -> {
              assertThat(outcome.records(), is((long) records));
              assertThat(outcome.alreadyPublished(), is(already));
              return null;
            });
    pipeline.run().waitUntilFinish();
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row({20, 31})
  void aBatchThatIsRunAgainAddsNothing(RunnerUnderTest runner) {
    run(runner, publish().withBatch(0).withShards(3), events(0, 200), false);
    run(runner, publish().withBatch(0).withShards(3), events(0, 200), true);
    run(runner, publish().withBatch(1).withShards(2), events(200, 300), false);
    run(runner, publish().withBatch(0).withShards(4), events(0, 200), true);

    assertHolds(topic, events(0, 300));
    assertThat(
        Topics.read(topic).stream()
            .map(record -> textOf(record, EventHeaders.BATCH_ID))
            .collect(Collectors.toCollection(TreeSet::new)),
        is(new TreeSet<>(List.of("0", "1"))));
  }

  @ParameterizedTest
  @EnumSource
  void aReplayWithOtherShardsFinishesThoseThatWereRecorded(RunnerUnderTest runner) {
    PublishInTransactions sixteen =
        KafkaPublishIO.publishInTransactions("shop")
            .to(topic)
            .withConfig(killed(300))
            .withBatch(0)
            .withShards(16);
    assertThrows(Throwable.class, () -> run(runner, sixteen, events(0, 500), false));

    run(runner, publish().withBatch(0).withShards(5), events(0, 500), false);

    assertHolds(topic, events(0, 500));
    assertThat(
        PublishSteps.of(PublishTarget.of(config(), "shop", topic)).state().orElseThrow().shards(),
        is(16));
  }

  @Test
  void aReplayWithOtherShardsPublishesThoseWithoutEventsToo() {
    PublishSteps steps = PublishSteps.of(PublishTarget.of(config(), "shop", topic));
    OpenBatch opened = steps.open(new BatchPlan(0, "plan", "", 0, "killed", 9, ""));
    assertThat(opened.shards(), is(9));

    run(RunnerUnderTest.DIRECT, publish().withBatch(0, "plan").withShards(2), events(0, 2), false);

    assertHolds(topic, events(0, 2));
    assertThat(steps.state().orElseThrow().closed(), is(true));
  }

  /** Returns a configuration by which every send from one on ends its attempt as a kill does. */
  private KafkaConfig killed(int from) {
    AtomicInteger sent = new AtomicInteger();
    return SendHook.in(
        config(),
        topic,
        record -> {
          if (record.topic().equals(topic) && sent.incrementAndGet() >= from) {
            throw new SendHook.Killed();
          }
        });
  }

  /** A task of Spark that fails is run again, at once and beside others. */
  @Test
  void tasksThatFailInTheirTransactionOnSparkAreRunAgain() {
    SparkPipelineOptions options = RunnerUnderTest.SPARK.options().as(SparkPipelineOptions.class);
    options.setSparkMaster("local[2,4]");
    AtomicInteger sent = new AtomicInteger();
    PublishInTransactions failing =
        KafkaPublishIO.publishInTransactions("shop")
            .to(topic)
            .withConfig(
                SendHook.in(
                    config(),
                    topic,
                    record -> {
                      if (record.topic().equals(topic) && sent.incrementAndGet() % 200 == 50) {
                        throw new FailedTask();
                      }
                    }))
            .withBatch(0)
            .withShards(4);

    run(options, failing, events(0, 500), false);

    assertHolds(topic, events(0, 500));
    assertThat(sent.get() > 500, is(true));
    run(options, publish().withBatch(0).withShards(2), events(0, 500), true);
    assertHolds(topic, events(0, 500));
  }

  private static final class FailedTask extends Error {
    private static final long serialVersionUID = 1L;
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(56)
  void applyingABatchTwiceIsApplyingItOnce(RunnerUnderTest runner) {
    System.out.println("PublishInTransactionsTest: seed " + SEED);
    Random random = new Random(SEED);
    List<KafkaEvent> expected = new ArrayList<>();
    List<List<KafkaEvent>> batches = new ArrayList<>();
    int batchCount = runner == RunnerUnderTest.DIRECT ? 5 : 3;
    for (int batch = 0; batch < batchCount; batch++) {
      List<KafkaEvent> events = new ArrayList<>();
      for (int i = random.nextInt(40); i > 0; i--) {
        String value = random.nextInt(4) == 0 ? null : "v" + random.nextInt();
        events.add(event("k" + random.nextInt(8), value, batch * 1_000L + i));
      }
      batches.add(events);
      expected.addAll(events);

      run(runner, publish().withBatch(batch).withShards(1 + random.nextInt(4)), events, false);
      assertHolds(topic, expected);
      int earlier = random.nextInt(batch + 1);
      List<KafkaEvent> again = new ArrayList<>(batches.get(earlier));
      Collections.shuffle(again, random);
      run(runner, publish().withBatch(batch).withShards(1 + random.nextInt(4)), events, true);
      run(runner, publish().withBatch(earlier).withShards(2), again, true);

      assertHolds(topic, expected);
    }
  }

  @Test
  void aBatchWithoutEventsIsRemembered() {
    run(RunnerUnderTest.DIRECT, publish().withBatch(0), List.of(), false);
    run(RunnerUnderTest.DIRECT, publish().withBatch(0), List.of(), true);

    assertHolds(topic, List.of());
  }

  @Test
  @Covers.Case("DEV-24")
  void tombstonesArePublishedAsSuch() {
    List<KafkaEvent> events =
        List.of(
            event("k1", "v1", 0), event("k2", "v2", 1), event("k1", null, 3), event("k3", null, 4));

    run(RunnerUnderTest.DIRECT, publish().withShards(2).withBatch(0), events, false);

    assertHolds(topic, events);
    assertThat(
        Topics.read(topic).stream().filter(record -> record.value() == null).count(), is(2L));
  }

  @Test
  void otherContentUnderOneIdIsRefused() {
    run(RunnerUnderTest.DIRECT, publish().withShards(2).withBatch(0), events(0, 20), false);

    var refused =
        assertThrows(
            RuntimeException.class,
            () ->
                run(
                    RunnerUnderTest.DIRECT,
                    publish().withShards(2).withBatch(0),
                    events(0, 21),
                    false));

    assertThat(refused.getCause(), instanceOf(BatchRefusedException.class));
    assertHolds(topic, events(0, 20));
  }

  @Test
  void otherContentUnderOnePlanIsRefused() {
    run(RunnerUnderTest.DIRECT, publish().withShards(2).withBatch(0, "plan"), events(0, 20), false);

    var refused =
        assertThrows(
            RuntimeException.class,
            () ->
                run(
                    RunnerUnderTest.DIRECT,
                    publish().withShards(2).withBatch(0, "plan"),
                    events(0, 21),
                    false));

    assertThat(refused.getCause(), instanceOf(ContentChangedException.class));
    assertThat(refused.getCause().getMessage(), containsString("Content of all shards of batch 0"));
    assertHolds(topic, events(0, 20));
  }

  @Test
  void sinksAndApplicationsOnOneTopicDoNotMeet() {
    run(RunnerUnderTest.DIRECT, publish().withBatch(0).withShards(2), events(0, 10), false);
    run(
        RunnerUnderTest.DIRECT,
        publish().withSink("other").withBatch(0).withShards(2),
        events(10, 20),
        false);
    run(
        RunnerUnderTest.DIRECT,
        KafkaPublishIO.publishInTransactions("till")
            .to(topic)
            .withConfig(config())
            .withBatch(0)
            .withShards(2),
        events(20, 30),
        false);

    assertHolds(topic, events(0, 30));
  }

  @Test
  void anotherProgressTopicRemembersOnItsOwn() {
    PublishInTransactions elsewhere =
        publish().withProgressTopic(topic + "-progress").withBatch(0).withShards(1);
    run(RunnerUnderTest.DIRECT, elsewhere, events(0, 10), false);
    run(RunnerUnderTest.DIRECT, elsewhere, events(0, 10), true);

    assertHolds(topic, events(0, 10));
    assertThat(Topics.read(topic + "-progress").isEmpty(), is(false));
  }

  @Test
  void theTransactionTimeoutIsThatOfTheProducers() {
    var refused =
        assertThrows(
            RuntimeException.class,
            () ->
                run(
                    RunnerUnderTest.DIRECT,
                    publish().withTransactionTimeout(Duration.standardDays(1)).withBatch(0),
                    events(0, 10),
                    false));

    assertThat(refused.getCause(), instanceOf(TransactionTimedOutException.class));
  }

  @Test
  void inputsThatAreNoBatchAreRefused() {
    Pipeline pipeline = Pipeline.create();
    PCollection<KafkaEvent> events =
        pipeline.apply(Create.of(events(0, 1)).withCoder(KafkaEventCoder.of()));
    PCollection<KafkaEvent> unbounded =
        PCollection.createPrimitiveOutputInternal(
            pipeline,
            events.getWindowingStrategy(),
            PCollection.IsBounded.UNBOUNDED,
            KafkaEventCoder.of());
    PCollection<KafkaEvent> windowed =
        events.apply(Window.into(FixedWindows.of(Duration.standardMinutes(1))));

    assertRefused(
        () -> unbounded.apply("unbounded", publish().withBatch(0)),
        "must be bounded, but was: UNBOUNDED");
    assertRefused(
        () -> windowed.apply("windowed", publish().withBatch(0)),
        "must be in the global window, but was: FixedWindows");
    assertRefused(() -> events.apply("no batch", publish()), "must have a batch id");
    assertRefused(
        () ->
            events.apply(
                "no config", KafkaPublishIO.publishInTransactions("a").to(topic).withBatch(0)),
        "must have a config");
    assertRefused(() -> publish().withShards(0), "Shards must be at least 1");
    assertRefused(() -> publish().withBatch(-1), "must not be negative");
    assertRefused(() -> publish().withBatch(0, " "), "must not be blank");
    assertRefused(() -> publish().withSink("a/b"), "must be text without");
    assertRefused(() -> publish().withTransactionTimeout(Duration.ZERO), "must be at least 1 ms");
  }

  private static void assertRefused(Runnable what, String message) {
    var refused = assertThrows(IllegalArgumentException.class, what::run);
    assertThat(refused.getMessage(), containsString(message));
  }
}
