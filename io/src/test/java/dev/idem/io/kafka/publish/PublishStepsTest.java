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
import static dev.idem.io.kafka.publish.Topics.broker;
import static dev.idem.io.kafka.publish.Topics.bytes;
import static dev.idem.io.kafka.publish.Topics.config;
import static dev.idem.io.kafka.publish.Topics.event;
import static dev.idem.io.kafka.publish.Topics.events;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.testing.Covers;
import dev.idem.testing.KafkaBroker;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PublishStepsTest {

  private String topic;

  @BeforeEach
  void createTopic() {
    topic = Topics.create();
  }

  private PublishSteps steps() {
    return steps(config());
  }

  private PublishSteps steps(KafkaConfig config) {
    return PublishSteps.of(PublishTarget.of(config, "shop", topic));
  }

  /** Returns steps whose producers run code before they send a record to the topic. */
  private PublishSteps hooked(Consumer<Integer> beforeRecord) {
    AtomicInteger sent = new AtomicInteger();
    return steps(
        SendHook.in(
            config(),
            topic,
            record -> {
              if (record.topic().equals(topic)) {
                beforeRecord.accept(sent.incrementAndGet());
              }
            }));
  }

  /**
   * Returns steps that are killed when all events of a shard are sent, and only their record not.
   */
  private PublishSteps killedBeforeTheRecord() {
    return steps(
        SendHook.in(
            config(),
            topic,
            record -> {
              if (record.topic().equals(progress())) {
                throw new SendHook.Killed();
              }
            }));
  }

  /** Returns steps that are killed when they are about to send a record to the topic. */
  private PublishSteps killedBefore(int record) {
    return hooked(
        number -> {
          if (number == record) {
            throw new SendHook.Killed();
          }
        });
  }

  private static BatchPlan plan(long batch, String fingerprint, String run, int shards) {
    return new BatchPlan(batch, fingerprint, "", 0, run, shards, "body " + batch);
  }

  private static List<KafkaEvent> shard(OpenBatch batch, int shard, List<KafkaEvent> events) {
    return events.stream().filter(each -> batch.shardOf(each) == shard).toList();
  }

  private static void publish(PublishSteps steps, BatchPlan plan, List<KafkaEvent> events) {
    OpenBatch batch = steps.open(plan);
    for (int shard = 0; shard < batch.shards(); shard++) {
      ShardOutcome unused = steps.publishShard(batch, shard, shard(batch, shard, events));
    }
    BatchRecord.Kept unused = steps.close(batch, "summary " + plan.batch());
  }

  private String progress() {
    return topic + ".idem-progress";
  }

  @Test
  void batchesAreRemembered() {
    publish(steps(), plan(0, "p0", "r", 3), events(0, 10));
    publish(steps(), plan(5, "p5", "r", 2), events(10, 30));

    BatchRecord state = steps().state().orElseThrow();

    assertHolds(topic, events(0, 30));
    assertThat(state.batch(), is(5L));
    assertThat(state.closed(), is(true));
    assertThat(state.body(), is("body 5"));
    assertThat(state.summary(), is("summary 5"));
    assertThat(
        state.kept().stream().map(each -> each.batch() + ":" + each.records()).toList(),
        is(List.of("0:10", "5:20")));
  }

  @Test
  void nothingIsRememberedOfATopicWithoutProgress() {
    assertThat(steps().state(), is(Optional.empty()));
  }

  @Test
  void eventsOfAKeyAreInTheOrderOfTheirSequence() {
    List<KafkaEvent> events = new ArrayList<>();
    for (int sequence = -20; sequence < 20; sequence++) {
      events.add(event("a", sequence % 3 == 0 ? null : "v" + sequence, sequence));
      events.add(event("b", "v" + sequence, sequence));
    }
    Collections.shuffle(events, new Random(5));

    publish(steps(), plan(0, "p", "r", 2), events);

    for (String key : List.of("a", "b")) {
      assertThat(
          Topics.read(topic).stream()
              .map(Topics::text)
              .filter(text -> text.startsWith(key))
              .toList(),
          is(
              events.stream()
                  .sorted(KafkaEvent.ORDER)
                  .map(Topics::text)
                  .filter(text -> text.startsWith(key))
                  .toList()));
    }
  }

  @Test
  void aShardThatIsPublishedIsNotPublishedAgain() {
    OpenBatch batch = steps().open(plan(0, "p", "r", 1));

    ShardOutcome first = steps().publishShard(batch, 0, events(0, 20));
    ShardOutcome second = steps().publishShard(batch, 0, events(0, 20));

    assertHolds(topic, events(0, 20));
    assertThat(
        List.of(first.alreadyPublished(), second.alreadyPublished()), is(List.of(false, true)));
  }

  @Test
  void whatIsSentWithoutItsRecordIsNotThere() {
    OpenBatch batch = steps().open(plan(0, "p", "r", 1));
    assertThrows(
        SendHook.Killed.class, () -> killedBeforeTheRecord().publishShard(batch, 0, events(0, 20)));

    ShardOutcome again = steps().publishShard(batch, 0, events(0, 20));

    assertThat(again.alreadyPublished(), is(false));
    assertHolds(topic, events(0, 20));
  }

  /** Where a reader of committed records stops, an earlier attempt's record may lie behind. */
  @Test
  void aShardThatIsPublishedBehindAnOpenTransactionIsNotPublishedAgain() {
    OpenBatch batch = steps().open(plan(0, "p", "r", 1));
    CountDownLatch read = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    PublishSteps first =
        hooked(
            number -> {
              read.countDown();
              await(begun);
            });
    CompletableFuture<ShardOutcome> earlier =
        CompletableFuture.supplyAsync(() -> first.publishShard(batch, 0, events(0, 20)));
    await(read, earlier);
    try (Producer<byte[], byte[]> other = broker().transactionalProducer("other-" + topic)) {
      other.beginTransaction();
      KafkaBroker.sendAll(
          other, List.of(new ProducerRecord<>(progress(), 0, bytes("x/y/z"), bytes("open"))));
      begun.countDown();
      assertThat(earlier.join().alreadyPublished(), is(false));

      var waits =
          assertThrows(
              ProgressTopicException.class,
              () -> steps().withClock(new Hours()).publishShard(batch, 0, events(0, 20)));
      assertThat(waits.getMessage(), containsString("A transaction on it is open"));
      other.abortTransaction();
    }

    assertThat(steps().publishShard(batch, 0, events(0, 20)).alreadyPublished(), is(true));
    assertHolds(topic, events(0, 20));
  }

  @Test
  @Covers.Row(31)
  void aReplayHasTheShardsThatWereRecorded() {
    OpenBatch batch = steps().open(plan(0, "p", "first", 6));
    for (int shard = 0; shard < 3; shard++) {
      steps().publishShard(batch, shard, shard(batch, shard, events(0, 500)));
    }
    List<KafkaEvent> third = shard(batch, 3, events(0, 500));
    assertThrows(
        SendHook.Killed.class, () -> killedBefore(third.size()).publishShard(batch, 3, third));

    publish(steps(), plan(0, "p", "second", 5), events(0, 500));

    assertHolds(topic, events(0, 500));
    assertThat(steps().state().orElseThrow().shards(), is(6));
  }

  @Test
  void whatAKilledAttemptLeftOpenHoldsUpNoReaderOnceTheBatchIsOpenedAgain() {
    OpenBatch batch = steps().open(plan(0, "p", "first", 2));
    List<KafkaEvent> all = events(0, 100);
    List<KafkaEvent> half = shard(batch, 1, all);
    assertThrows(
        SendHook.Killed.class, () -> killedBefore(half.size()).publishShard(batch, 1, half));
    assertThat(broker().hasOpenTransaction(topic), is(true));

    OpenBatch again = steps().open(plan(0, "p", "second", 2));

    broker().awaitStable(topic);
    assertThat(again.shards(), is(2));
    assertHolds(topic, List.of());
  }

  @Test
  void aSecondWorkerOfTheSameRunTakesNothingFromTheFirst() {
    OpenBatch batch = steps().open(plan(0, "p", "run", 1));
    CountDownLatch halfway = new CountDownLatch(1);
    CountDownLatch opened = new CountDownLatch(1);
    PublishSteps first =
        hooked(
            number -> {
              if (number == 10) {
                halfway.countDown();
                await(opened);
              }
            });
    CompletableFuture<ShardOutcome> shard =
        CompletableFuture.supplyAsync(() -> first.publishShard(batch, 0, events(0, 20)));
    await(halfway, shard);

    OpenBatch same = steps().open(plan(0, "p", "run", 9));
    opened.countDown();

    assertThat(shard.join().alreadyPublished(), is(false));
    assertThat(same, is(batch));
    assertHolds(topic, events(0, 20));
  }

  /** A zombie that is paused in its transaction until a later batch is closed. */
  @Test
  @Covers.Row(31)
  void anAttemptThatIsPausedInItsTransactionCannotCommitLater() {
    OpenBatch batch = steps().open(plan(0, "p0", "r0", 1));
    CountDownLatch halfway = new CountDownLatch(1);
    CountDownLatch later = new CountDownLatch(1);
    PublishSteps zombie =
        hooked(
            number -> {
              if (number == 10) {
                halfway.countDown();
                await(later);
              }
            });
    CompletableFuture<ShardOutcome> paused =
        CompletableFuture.supplyAsync(() -> zombie.publishShard(batch, 0, events(0, 20)));
    await(halfway, paused);

    publish(steps(), plan(0, "p0", "r0", 1), events(0, 20));
    publish(steps(), plan(1, "p1", "r1", 1), events(20, 30));
    later.countDown();

    var failed = assertThrows(CompletionException.class, paused::join);
    assertThat(failed.getCause(), instanceOf(PublisherFencedException.class));
    assertHolds(topic, events(0, 30));
  }

  /** A zombie that begins only after a later batch is closed; its id is free then. */
  @Test
  void anAttemptThatComesAfterALaterBatchPublishesNothing() {
    OpenBatch batch = steps().open(plan(0, "p0", "r0", 4));
    publish(steps(), plan(0, "p0", "r0", 4), events(0, 20));
    publish(steps(), plan(1, "p1", "r1", 1), events(20, 30));

    for (int shard = 0; shard < 4; shard++) {
      int each = shard;
      var late =
          assertThrows(
              PublisherFencedException.class,
              () -> steps().publishShard(batch, each, shard(batch, each, events(0, 20))));
      assertThat(late.getMessage(), containsString("must be of the run that has the topic"));
    }
    assertThrows(PublisherFencedException.class, () -> steps().close(batch, ""));
    assertHolds(topic, events(0, 30));
  }

  @Test
  void aRunFromWhichTheBatchWasTakenPublishesNothing() {
    OpenBatch old = steps().open(plan(0, "p", "old", 2));
    OpenBatch now = steps().open(plan(0, "p", "new", 2));

    assertThrows(
        PublisherFencedException.class,
        () -> steps().publishShard(old, 0, shard(old, 0, events(0, 20))));
    assertThrows(PublisherFencedException.class, () -> steps().close(old, ""));
    for (int shard = 0; shard < 2; shard++) {
      steps().publishShard(now, shard, shard(now, shard, events(0, 20)));
    }
    steps().close(now, "");

    assertHolds(topic, events(0, 20));
  }

  @Test
  void aRunWithAnOlderLeaseIsRefused() {
    BatchPlan lease5 = new BatchPlan(0, "p", "e", 5, "a", 1, "");
    BatchPlan lease4 = new BatchPlan(0, "p", "e", 4, "b", 1, "");
    OpenBatch batch = steps().open(lease5);

    assertThrows(PublisherFencedException.class, () -> steps().open(lease4));

    steps().publishShard(batch, 0, events(0, 5));
    steps().close(batch, "");
    assertHolds(topic, events(0, 5));
  }

  @Test
  void onlyABatchWithTheRecordedPlanIsTakenForPublished() {
    publish(steps(), plan(3, "p3", "r", 1), events(0, 5));
    publish(steps(), plan(4, "p4", "r", 1), events(5, 10));

    assertThat(steps().open(plan(3, "p3", "x", 1)).published(), is(true));
    assertThat(steps().open(plan(4, "p4", "x", 1)).published(), is(true));
    assertRefused(plan(4, "other", "x", 1), "must have the plan that");
    assertRefused(plan(3, "other", "x", 1), "must have the plan that");
    assertRefused(plan(2, "p2", "x", 1), "must be later than 4");
    assertRefused(new BatchPlan(4, "p4", "other epoch", 0, "x", 1, ""), "must have the plan");
  }

  @Test
  void anOpenBatchIsFinishedFirst() {
    OpenBatch batch = steps().open(plan(3, "p3", "r", 1));

    assertRefused(plan(4, "p4", "r", 1), "must be 3, which is open");
    assertRefused(plan(3, "other", "r", 1), "must have the plan that");
    var missing = assertThrows(BatchRefusedException.class, () -> steps().close(batch, ""));
    assertThat(missing.getMessage(), containsString("was: none of [0]"));
  }

  private void assertRefused(BatchPlan plan, String message) {
    var refused = assertThrows(BatchRefusedException.class, () -> steps().open(plan));
    assertThat(refused.getMessage(), containsString(message));
  }

  @Test
  void aShardWithOtherEventsIsRefused() {
    OpenBatch batch = steps().open(plan(0, "p", "r", 1));
    steps().publishShard(batch, 0, events(0, 20));

    var changed =
        assertThrows(
            ContentChangedException.class, () -> steps().publishShard(batch, 0, events(0, 21)));

    assertThat(changed.getMessage(), containsString("Content of shard 0 of batch 0"));
    assertHolds(topic, events(0, 20));
  }

  @Test
  void aTopicThatWasCreatedAgainIsRefused() {
    publish(steps(), plan(0, "p0", "r", 1), events(0, 5));
    broker().deleteTopic(topic);
    broker().createTopic(topic, 3, Map.of());

    assertRefused(plan(1, "p1", "r", 1), "It was created again");
    assertRefused(plan(0, "p0", "r", 1), "It was created again");
  }

  @Test
  void aProgressTopicThatForgetsIsRefused() {
    broker().createTopic(progress(), 1, Map.of("cleanup.policy", "compact,delete"));

    var refused =
        assertThrows(ProgressTopicException.class, () -> steps().open(plan(0, "p", "r", 1)));

    assertThat(
        refused.getMessage(),
        containsString("must have cleanup.policy compact and nothing else, but was: \""));
  }

  @Test
  void aProgressTopicOfSeveralPartitionsIsRefused() {
    broker().createTopic(progress(), 2, Map.of("cleanup.policy", "compact"));

    var refused =
        assertThrows(ProgressTopicException.class, () -> steps().open(plan(0, "p", "r", 1)));

    assertThat(refused.getMessage(), containsString("must have 1 partition, but was: 2"));
  }

  @Test
  void aDamagedRecordIsRefused() {
    publish(steps(), plan(0, "p0", "r", 1), events(0, 5));
    broker().send(progress(), 0, "shop/main/" + topic, "{\"version\":1}");

    var refused =
        assertThrows(ProgressTopicException.class, () -> steps().open(plan(1, "p1", "r", 1)));

    assertThat(refused.getMessage(), containsString("must be as this library writes it"));
  }

  @Test
  void aTopicThatIsMissingIsRefused() {
    PublishSteps missing =
        PublishSteps.of(PublishTarget.of(config(), "shop", "no-such-topic-" + topic));

    var refused = assertThrows(SendFailedException.class, () -> missing.open(plan(0, "p", "r", 1)));

    assertThat(refused.getMessage(), containsString("must exist before it is published to"));
  }

  @Test
  void anEventThatIsTooLargeLeavesNothingOfItsShard() {
    OpenBatch batch = steps().open(plan(0, "p", "r", 1));
    List<KafkaEvent> events = new ArrayList<>(events(0, 5));
    events.add(KafkaEvent.of(bytes("large"), new byte[2 << 20], 1));
    PublishSteps late =
        steps(
            SendHook.in(
                config(),
                topic,
                record -> {
                  if (Topics.text(record.key()).equals("large")) {
                    broker().awaitOpenTransaction(topic);
                  }
                }));

    var refused =
        assertThrows(EventRefusedException.class, () -> late.publishShard(batch, 0, events));

    assertThat(refused.getMessage(), containsString("was: refused with RecordTooLargeException"));
    assertThat(refused.size(), is((2L << 20) + 13));
    broker().awaitStable(topic);
    assertHolds(topic, List.of());
  }

  @Test
  void aTransactionThatTakesTooLongIsTold() {
    PublishTarget quick =
        new PublishTarget(
            SendHook.in(config(), topic, this::untilTheBrokerEndsIt),
            "shop",
            "main",
            topic,
            progress(),
            Duration.ofSeconds(1));
    OpenBatch batch = steps().open(plan(0, "p", "r", 1));

    var late =
        assertThrows(
            TransactionTimedOutException.class,
            () -> PublishSteps.of(quick).publishShard(batch, 0, events(0, 5)));

    assertThat(late.getMessage(), containsString("must be committed within PT1S"));
    assertHolds(topic, List.of());
  }

  /** Holds up the third event until the broker has ended the transaction for its age. */
  private void untilTheBrokerEndsIt(ProducerRecord<byte[], byte[]> record) {
    if (record.topic().equals(topic) && Topics.text(record.key()).equals("k0002")) {
      broker().awaitTransaction("shop/main/" + topic + "/0", TransactionState.ONGOING);
      broker().awaitTransaction("shop/main/" + topic + "/0", TransactionState.COMPLETE_ABORT);
    }
  }

  @Test
  void aTimeoutBeyondTheBrokersIsTold() {
    PublishTarget slow =
        new PublishTarget(config(), "shop", "main", topic, progress(), Duration.ofDays(1));

    var refused =
        assertThrows(
            TransactionTimedOutException.class,
            () -> PublishSteps.of(slow).open(plan(0, "p", "r", 1)));

    assertThat(refused.getMessage(), containsString("must be at most transaction.max.timeout.ms"));
  }

  /** Waits until a thread has come somewhere, or tells why it did not. */
  private static void await(CountDownLatch latch, CompletableFuture<ShardOutcome> thread) {
    try {
      while (!latch.await(10, TimeUnit.MILLISECONDS)) {
        if (thread.isDone()) {
          throw new IllegalStateException("The thread has ended: " + thread.join());
        }
      }
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A clock that stands still for twenty looks at it and goes on by an hour at each other. */
  private static final class Hours extends Clock {
    private final AtomicInteger looks = new AtomicInteger();

    @Override
    public Instant instant() {
      return Instant.EPOCH.plus(Duration.ofHours(Math.max(0, looks.incrementAndGet() - 20)));
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
