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
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.RunnerUnderTest;
import dev.idem.transforms.external.DeadLetter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Batches that a driver opens and closes, and pipelines publish; and what is too large for them.
 */
class KafkaSinkTest {

  /** A producer's batches are smaller, or it would not come to an end with them. */
  private static final String LIMIT = "max.message.bytes";

  private static final String LARGE = "x".repeat(30_000);

  private String topic;

  @BeforeEach
  void createTopicOfSmallRecords() {
    topic = Topics.create(LIMIT, "20000");
  }

  private PublishTarget target() {
    return PublishTarget.of(config(), "shop", topic);
  }

  private PublishSteps steps() {
    return PublishSteps.of(target());
  }

  private static BatchPlan plan(long batch, String run) {
    return new BatchPlan(batch, "p" + batch, "", 0, run, 3, "");
  }

  /** Elements are {@code KEY=VALUE#SEQUENCE}; one without a key begins with an equals sign. */
  private static final class Parsing implements EventMapping<String> {
    private static final long serialVersionUID = 1L;

    @Override
    public byte[] key(String element) {
      String key = element.substring(0, element.indexOf('='));
      return key.isEmpty() ? null : bytes(key);
    }

    @Override
    public KafkaEvent event(String element) {
      int equals = element.indexOf('=');
      int hash = element.indexOf('#');
      return Topics.event(
          element.substring(0, equals),
          element.substring(equals + 1, hash),
          Long.parseLong(element.substring(hash + 1)));
    }

    @Override
    public List<String> published(List<String> shard) {
      return shard.stream().filter(each -> !each.contains("=left out#")).toList();
    }
  }

  private static void publish(
      RunnerUnderTest runner,
      PTransform<PCollection<String>, PCollection<DeadLetter<String>>> sink,
      List<String> elements,
      String... letters) {
    Pipeline pipeline = Pipeline.create(runner.options());
    PAssert.that(
            pipeline
                .apply(Create.of(elements).withCoder(StringUtf8Coder.of()))
                .apply(sink)
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(letter -> letter.record() + " " + letter.errorClass())))
        .containsInAnyOrder(letters);
    pipeline.run().waitUntilFinish();
  }

  private static List<String> elements() {
    List<String> elements = new ArrayList<>();
    for (int sequence = -9; sequence < 10; sequence++) {
      for (String key : List.of("a", "b", "c", "d")) {
        elements.add(key + "=v" + sequence + "#" + sequence);
      }
    }
    elements.add("a=left out#3");
    elements.add("=keyless#1");
    elements.add("b=" + LARGE + "#20");
    Collections.shuffle(elements, new Random(11));
    return elements;
  }

  private static final String[] LETTERS = {
    "=keyless#1 null key",
    "b=" + LARGE + "#20 org.apache.kafka.common.errors.RecordTooLargeException"
  };

  /** Returns the sequences of each key in the order of the topic. */
  private Map<String, List<String>> byKey() {
    Map<String, List<String>> byKey = new TreeMap<>();
    Topics.read(topic).stream()
        .map(Topics::text)
        .forEach(
            text ->
                byKey
                    .computeIfAbsent(text.substring(0, 1), key -> new ArrayList<>())
                    .add(text.substring(text.indexOf('#') + 1)));
    return byKey;
  }

  private static Map<String, List<String>> expected() {
    List<String> sequences = new ArrayList<>();
    for (int sequence = -9; sequence < 10; sequence++) {
      sequences.add("" + sequence);
    }
    Map<String, List<String>> expected = new TreeMap<>();
    List.of("a", "b", "c", "d").forEach(key -> expected.put(key, sequences));
    return expected;
  }

  @ParameterizedTest
  @EnumSource
  void batchIsPublishedOnceInOrderAndItsDeadLettersAreToldAtEveryAttempt(RunnerUnderTest runner) {
    OpenBatch first = steps().open(plan(0, "first"));
    publish(runner, KafkaSink.inTransactions(steps(), first, new Parsing()), elements(), LETTERS);
    OpenBatch second = steps().open(plan(0, "second"));
    publish(runner, KafkaSink.inTransactions(steps(), second, new Parsing()), elements(), LETTERS);
    BatchRecord.Kept kept = steps().close(second, "");
    OpenBatch third = steps().open(plan(0, "third"));
    publish(runner, KafkaSink.inTransactions(steps(), third, new Parsing()), elements(), LETTERS);

    assertThat(kept.records(), is(76L));
    assertThat(third.published(), is(true));
    assertThat(byKey(), is(expected()));
  }

  @Test
  void withoutTransactionsABatchIsInOrderToo() {
    publish(
        RunnerUnderTest.DIRECT,
        KafkaSink.atLeastOnce(target(), 7, 3, new Parsing()),
        elements(),
        LETTERS);

    assertThat(byKey(), is(expected()));
    assertThat(
        Topics.read(topic).stream()
            .map(each -> Topics.textOf(each, EventHeaders.BATCH_ID))
            .distinct()
            .toList(),
        is(List.of("7")));
  }

  @Test
  void shardThatIsPublishedWithoutALargeEventIsRefusedWithAnotherOneInItsPlace() {
    OpenBatch batch = steps().open(new BatchPlan(0, "p", "", 0, "r", 1, ""));
    List<KafkaEvent> events = new ArrayList<>(events(0, 20));
    events.add(event("large", LARGE, 1));
    events.add(event("larger", LARGE + LARGE, 1));

    ShardOutcome first = steps().publishFitting(batch, 0, events);
    ShardOutcome again = steps().publishFitting(batch, 0, events);
    events.add(event("other", "small", 1));
    assertThrows(ContentChangedException.class, () -> steps().publishFitting(batch, 0, events));

    assertHolds(topic, events(0, 20));
    assertThat(first.tooLarge().size(), is(2));
    assertThat(again.tooLarge(), is(first.tooLarge()));
    assertThat(
        List.of(first.alreadyPublished(), again.alreadyPublished()), is(List.of(false, true)));
    assertThat(List.of(first.records(), again.records()), is(List.of(20L, 20L)));
    assertThat(again.content(), is(first.content()));
  }

  @Test
  void everySinkOfATopicIsRemembered() {
    String other = Topics.create(LIMIT, "20000");
    for (PublishTarget each :
        List.of(
            target(),
            new PublishTarget(
                config(),
                "shop",
                "second",
                topic,
                target().progressTopic(),
                target().transactionTimeout()),
            new PublishTarget(
                config(),
                "bank",
                "main",
                other,
                target().progressTopic(),
                target().transactionTimeout()))) {
      PublishSteps steps = PublishSteps.of(each);
      OpenBatch batch = steps.open(new BatchPlan(3, "p", "", 0, "r", 1, "body"));
      ShardOutcome unused = steps.publishShard(batch, 0, List.of());
    }

    assertThat(steps().states().keySet(), is(Set.of("shop/main", "shop/second")));
    assertThat(steps().states().get("shop/main").body(), is("body"));
  }

  @Test
  void topicThatIsNotThereOrAnotherOneIsRefused() {
    steps().refuseUnusable();
    OpenBatch unused = steps().open(plan(0, "r"));
    steps().refuseUnusable();
    broker().deleteTopic(topic);
    var gone = assertThrows(SendFailedException.class, () -> steps().refuseUnusable());
    broker().createTopic(topic, 3, Map.of());
    var other = assertThrows(BatchRefusedException.class, () -> steps().refuseUnusable());

    assertThat(gone.getMessage(), containsString("must exist"));
    assertThat(other.getMessage(), containsString("created again"));
  }
}
