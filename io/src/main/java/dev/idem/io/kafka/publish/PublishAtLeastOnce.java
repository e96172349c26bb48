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

import com.google.auto.value.AutoValue;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.transforms.NoOutput;
import dev.idem.transforms.external.DeadLetter;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TupleTagList;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A publication that may repeat events, never lose one, and names each. Made by {@link
 * KafkaPublishIO#publishAtLeastOnce}.
 *
 * <p><b>Guarantee.</b> At least once. Every event is acknowledged by all replicas in sync before
 * its bundle ends, or it is a dead letter, or the bundle fails. An event may be in the topic more
 * than once; its copies bear the same event id ({@link EventHeaders#EVENT_ID}), the same key, value
 * and headers. A reader that must have each once deduplicates by the event id, as {@link
 * KafkaPublishIO#deduplicate} does. Events of one key are sent in the order in which they come to a
 * worker, which is not that of their sequence.
 *
 * <p><b>Replay.</b> Whatever was sent is sent again: a bundle that is retried, a batch that is run
 * again and an input that is replayed after a kill give copies, also at a time when later events of
 * the key are in the topic. A paused worker may send when another has sent its events long before.
 *
 * <p><b>Requirements.</b> A bounded or unbounded input in any window, and a topic that exists. The
 * event id is made of application id, sink, topic, key and sequence: to change one of them makes
 * new events. No stable input is needed.
 *
 * <p><b>State and cost.</b> One producer for each instance of the function; no state and no
 * shuffle. Each bundle waits until its last record is acknowledged, so larger bundles are faster.
 *
 * <p><b>Errors.</b> An event that is larger than {@code max.request.size} of the producer or {@code
 * max.message.bytes} of the topic is a dead letter. Anything else fails the bundle with {@link
 * SendFailedException}: its cause is the first error, others are suppressed ones.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * PublishResult result =
 *     events.apply(
 *         KafkaPublishIO.publishAtLeastOnce("shop").to("orders").withConfig(config));
 * result.deadLetters().apply(ParDo.of(new KeepForReview()));
 * mails.apply(Wait.on(result.outcomes()));
 * }</pre>
 */
@AutoValue
public abstract class PublishAtLeastOnce
    extends PTransform<PCollection<KafkaEvent>, PublishResult> {

  PublishAtLeastOnce() {}

  static PublishAtLeastOnce of(String applicationId) {
    return new AutoValue_PublishAtLeastOnce.Builder()
        .setApplicationId(PublishTarget.name("Application id", applicationId))
        .setSinkName(PublishTarget.DEFAULT_SINK)
        .build();
  }

  abstract String applicationId();

  abstract String sinkName();

  abstract @Nullable String topic();

  abstract @Nullable KafkaConfig config();

  abstract @Nullable Long batch();

  abstract Builder toBuilder();

  /** Sets the topic, which must exist. Required. */
  public PublishAtLeastOnce to(String topic) {
    return toBuilder().setTopic(PublishTarget.name("Topic", topic)).build();
  }

  /**
   * Sets how the cluster is reached. Required. Settings that would lose or repeat more, such as
   * {@code acks} other than {@code all}, are refused where the producer is created.
   */
  public PublishAtLeastOnce withConfig(KafkaConfig config) {
    return toBuilder().setConfig(config).build();
  }

  /**
   * Names this sink among several of the application on one topic, whose events are then others.
   * Default: {@code main}.
   */
  public PublishAtLeastOnce withSink(String name) {
    return toBuilder().setSinkName(PublishTarget.name("Sink name", name)).build();
  }

  /**
   * Sets the batch id that records bear in the header {@link EventHeaders#BATCH_ID}; nothing else
   * depends on it. Default: no such header.
   */
  public PublishAtLeastOnce withBatch(long id) {
    if (id < 0) {
      throw PublishErrors.batch(id);
    }
    return toBuilder().setBatch(id).build();
  }

  @Override
  public PublishResult expand(PCollection<KafkaEvent> events) {
    if (topic() == null) {
      throw PublishErrors.missing("topic", "to(topic)");
    }
    if (config() == null) {
      throw PublishErrors.missing("config", "withConfig(config)");
    }
    PublishTarget target =
        new PublishTarget(
            config(),
            applicationId(),
            sinkName(),
            topic(),
            topic() + PublishTarget.PROGRESS_SUFFIX,
            PublishTarget.DEFAULT_TIMEOUT);
    PCollectionTuple sent =
        events.apply(
            "SendEvents",
            ParDo.of(new SendEventsFn(target, batch()))
                .withOutputTags(
                    NoOutput.TAG,
                    TupleTagList.of(PublishResult.OUTCOMES).and(PublishResult.DEAD_LETTERS)));
    return new PublishResult(
        sent.get(PublishResult.OUTCOMES).setCoder(PublishOutcome.coder()),
        sent.get(PublishResult.DEAD_LETTERS).setCoder(DeadLetter.coder(KafkaEventCoder.of())));
  }

  /** Leaves out the configuration. */
  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder
        .add(DisplayData.item("applicationId", applicationId()))
        .add(DisplayData.item("sink", sinkName()))
        .addIfNotNull(DisplayData.item("topic", topic()))
        .addIfNotNull(DisplayData.item("batch", batch()));
  }

  /** Leaves out the configuration. */
  @Override
  public final String toString() {
    return "KafkaPublishIO.publishAtLeastOnce(" + applicationId() + "/" + sinkName() + ")";
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setApplicationId(String value);

    abstract Builder setSinkName(String value);

    abstract Builder setTopic(@Nullable String value);

    abstract Builder setConfig(@Nullable KafkaConfig value);

    abstract Builder setBatch(@Nullable Long value);

    abstract PublishAtLeastOnce build();
  }
}
