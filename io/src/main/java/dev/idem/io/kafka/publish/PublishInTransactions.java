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
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.View;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.PCollectionView;
import org.apache.beam.sdk.values.TupleTagList;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/**
 * A publication that adds each batch to a topic once, however often it is run. Made by {@link
 * KafkaPublishIO#publishInTransactions}.
 *
 * <p><b>Guarantee.</b> Readers with {@code isolation.level=read_committed} get every event of a
 * batch once. A batch becomes visible shard by shard, each in one transaction. Events of one key
 * are in one shard and in the order of their sequence, in a batch and from batch to batch. Readers
 * of uncommitted records get what failed attempts left as well. The input is not deduplicated: an
 * event that is in it twice is published twice, under one event id.
 *
 * <p><b>Replay.</b> With each shard's events its transaction holds a record in the progress topic,
 * {@code TOPIC.idem-progress}. An attempt takes the shard's transactional id, {@code
 * application/sink/topic/shard}, by which Kafka ends the transaction of the attempt before it, and
 * then reads the record: what is published is not published again. The shard count is recorded
 * before the first shard is published, and a replay has that count, whatever it asks for. An
 * attempt that was paused, until the batch is published or much later, finds its id taken, its
 * shard published, or a later batch, and fails with {@link PublisherFencedException} or does
 * nothing. Where the outcome of a commit is unknown the next attempt finds out.
 *
 * <p><b>Requirements.</b> A bounded input in the global window, and batch ids that grow; a batch
 * that is open is finished before another begins. Without a plan fingerprint the content of the
 * events stands for the plan, so two different batches under one id are refused; the input must
 * then be the same at each attempt, or a batch that failed half-way cannot be finished. The topic
 * exists and has the same partitions for good. The progress topic is made if it is missing; it must
 * be compacted, and not be deleted: with it goes the memory of what was published. The user needs
 * the rights to write to transactional ids that begin with the application id, to read, write and
 * describe both topics, and to create the progress topic. No stable input is needed.
 *
 * <p><b>State and cost.</b> One shuffle of the events, which is read twice if there is no plan
 * fingerprint, and a second one only if a replay asked for another number of shards. A worker holds
 * the events of one shard, to put them in order. Each shard costs a producer, a consumer, and one
 * transaction; each batch two more, and the progress topic about a kilobyte a shard until it is
 * compacted, and the last 100 batches in each record of a plan.
 *
 * <p><b>Errors.</b> Those of {@link PublishSteps}. An event that is too large fails the batch with
 * {@link EventRefusedException} before anything of its shard is published; send such events
 * elsewhere first.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * PCollection<PublishOutcome> published =
 *     events.apply(
 *         KafkaPublishIO.publishInTransactions("shop")
 *             .to("orders")
 *             .withConfig(config)
 *             .withBatch(day.toEpochDay(), source.fingerprint()));
 * mails.apply(Wait.on(published));
 * }</pre>
 */
@AutoValue
public abstract class PublishInTransactions
    extends PTransform<PCollection<KafkaEvent>, PCollection<PublishOutcome>> {

  private static final int DEFAULT_SHARDS = 16;
  private static final KvCoder<Integer, byte[]> EVENTS =
      KvCoder.of(VarIntCoder.of(), ByteArrayCoder.of());
  private static final KvCoder<Integer, ShardOutcome> SHARDS =
      KvCoder.of(VarIntCoder.of(), SerializableCoder.of(ShardOutcome.class));

  PublishInTransactions() {}

  static PublishInTransactions of(String applicationId) {
    return new AutoValue_PublishInTransactions.Builder()
        .setApplicationId(PublishTarget.name("Application id", applicationId))
        .setSinkName(PublishTarget.DEFAULT_SINK)
        .setShards(DEFAULT_SHARDS)
        .setTransactionTimeout(Duration.millis(PublishTarget.DEFAULT_TIMEOUT.toMillis()))
        .build();
  }

  abstract String applicationId();

  abstract String sinkName();

  abstract @Nullable String topic();

  abstract @Nullable String progressTopic();

  abstract @Nullable KafkaConfig config();

  abstract @Nullable Long batch();

  abstract @Nullable String planFingerprint();

  abstract int shards();

  abstract Duration transactionTimeout();

  abstract Builder toBuilder();

  /** Sets the topic, which must exist. Required. */
  public PublishInTransactions to(String topic) {
    return toBuilder().setTopic(PublishTarget.name("Topic", topic)).build();
  }

  /**
   * Sets how the cluster is reached. Required. Settings that would break the guarantee, such as
   * {@code transactional.id} or {@code acks} other than {@code all}, are refused where the producer
   * is created.
   */
  public PublishInTransactions withConfig(KafkaConfig config) {
    return toBuilder().setConfig(config).build();
  }

  /** Names this sink among several of the application on one topic. Default: {@code main}. */
  public PublishInTransactions withSink(String name) {
    return toBuilder().setSinkName(PublishTarget.name("Sink name", name)).build();
  }

  /** Sets the batch id; the hash of the events stands for the plan. Required. */
  public PublishInTransactions withBatch(long id) {
    if (id < 0) {
      throw PublishErrors.batch(id);
    }
    return toBuilder().setBatch(id).setPlanFingerprint(null).build();
  }

  /** Sets the batch id and the fingerprint of all that decides the batch's events. Required. */
  public PublishInTransactions withBatch(long id, String planFingerprint) {
    if (planFingerprint.isBlank()) {
      throw PublishErrors.fingerprint();
    }
    return withBatch(id).toBuilder().setPlanFingerprint(planFingerprint).build();
  }

  /**
   * Sets how many transactions a new batch has. A worker holds the events of one: tens of megabytes
   * are a good size. More are published beside each other, and each costs about a tenth of a
   * second. Default: 16.
   */
  public PublishInTransactions withShards(int shards) {
    if (shards < 1) {
      throw PublishErrors.shards(shards);
    }
    return toBuilder().setShards(shards).build();
  }

  /**
   * Sets the topic that remembers batches; several sinks may share one. Default: the topic's name
   * and {@code .idem-progress}. To change it is to forget.
   */
  public PublishInTransactions withProgressTopic(String name) {
    return toBuilder().setProgressTopic(PublishTarget.name("Progress topic", name)).build();
  }

  /**
   * Sets how long the transaction of a shard may be open before the broker ends it and the shard
   * fails. What a killed worker left open holds up readers for so long, unless the batch is run
   * again before. Default: 1 minute.
   */
  public PublishInTransactions withTransactionTimeout(Duration timeout) {
    if (timeout.getMillis() < 1) {
      throw PublishErrors.timeout(java.time.Duration.ofMillis(timeout.getMillis()));
    }
    return toBuilder().setTransactionTimeout(timeout).build();
  }

  @Override
  public PCollection<PublishOutcome> expand(PCollection<KafkaEvent> events) {
    requireBatch(events);
    PublishTarget target = target();
    PublishSteps steps = PublishSteps.of(target);
    PCollection<KV<Integer, Iterable<byte[]>>> groups =
        PCollectionList.of(
                events
                    .apply("AssignShards", ParDo.of(new AssignShardFn(shards())))
                    .setCoder(EVENTS))
            .and(markers(events))
            .apply("AllShards", Flatten.pCollections())
            .apply("GroupByShard", GroupByKey.create());
    PCollection<OpenBatch> batch = open(groups, steps);
    PCollectionView<OpenBatch> open = batch.apply("OpenBatch", View.asSingleton());
    PCollectionTuple published =
        groups.apply(
            "PublishShards",
            ParDo.of(new PublishShardFn(steps, shards(), open))
                .withSideInputs(open)
                .withOutputTags(
                    NoOutput.TAG,
                    TupleTagList.of(PublishShardFn.PUBLISHED).and(PublishShardFn.ELSEWHERE)));
    PCollection<KV<Integer, ShardOutcome>> regrouped =
        PCollectionList.of(published.get(PublishShardFn.ELSEWHERE).setCoder(EVENTS))
            .and(
                batch
                    .apply("RecordedShards", ParDo.of(new RecordedShardsFn(shards())))
                    .setCoder(EVENTS))
            .apply("AllRecordedShards", Flatten.pCollections())
            .apply("GroupByRecordedShard", GroupByKey.create())
            .apply(
                "PublishRecordedShards",
                ParDo.of(new PublishRecordedShardFn(steps, open)).withSideInputs(open))
            .setCoder(SHARDS);
    return PCollectionList.of(published.get(PublishShardFn.PUBLISHED).setCoder(SHARDS))
        .and(regrouped)
        .apply("AllPublished", Flatten.pCollections())
        .apply("OneGroup", GroupByKey.create())
        .apply(
            "CloseBatch",
            ParDo.of(new CloseBatchFn(target, steps, planFingerprint() == null, open))
                .withSideInputs(open))
        .setCoder(PublishOutcome.coder());
  }

  /** One element a shard: without it a shard without events would have no group and no record. */
  private PCollection<KV<Integer, byte[]>> markers(PCollection<KafkaEvent> events) {
    List<KV<Integer, byte[]>> markers = new ArrayList<>();
    for (int shard = 0; shard < shards(); shard++) {
      markers.add(KV.of(shard, PublishShardFn.MARKER));
    }
    return events.getPipeline().apply("EmptyShards", Create.of(markers).withCoder(EVENTS));
  }

  private PCollection<OpenBatch> open(
      PCollection<KV<Integer, Iterable<byte[]>>> groups, PublishSteps steps) {
    // Attempts of one run are alike to the topic, so the run is named before any of them.
    OpenBatchFn open =
        new OpenBatchFn(steps, batch(), planFingerprint(), UUID.randomUUID().toString(), shards());
    KvCoder<Integer, String> sums = KvCoder.of(VarIntCoder.of(), StringUtf8Coder.of());
    PCollection<KV<Integer, String>> sum =
        planFingerprint() == null
            ? groups.apply("SumShards", ParDo.of(new SumShardFn())).setCoder(sums)
            : groups.getPipeline().apply("NoSum", Create.of(KV.of(0, "")).withCoder(sums));
    return sum.apply("OneSum", GroupByKey.create())
        .apply("OpenOnce", ParDo.of(open))
        .setCoder(SerializableCoder.of(OpenBatch.class));
  }

  private void requireBatch(PCollection<KafkaEvent> events) {
    if (events.isBounded() != PCollection.IsBounded.BOUNDED) {
      throw PublishErrors.unbounded();
    }
    WindowFn<?, ?> windows = events.getWindowingStrategy().getWindowFn();
    if (!(windows instanceof GlobalWindows)) {
      throw PublishErrors.windowed(windows.getClass().getSimpleName());
    }
    if (topic() == null) {
      throw PublishErrors.missing("topic", "to(topic)");
    }
    if (config() == null) {
      throw PublishErrors.missing("config", "withConfig(config)");
    }
    if (batch() == null) {
      throw PublishErrors.missing("batch id", "withBatch(id)");
    }
  }

  private PublishTarget target() {
    String progress = progressTopic();
    return new PublishTarget(
        config(),
        applicationId(),
        sinkName(),
        topic(),
        progress == null ? topic() + PublishTarget.PROGRESS_SUFFIX : progress,
        java.time.Duration.ofMillis(transactionTimeout().getMillis()));
  }

  /** Leaves out the configuration. */
  @Override
  public void populateDisplayData(DisplayData.Builder builder) {
    builder
        .add(DisplayData.item("applicationId", applicationId()))
        .add(DisplayData.item("sink", sinkName()))
        .addIfNotNull(DisplayData.item("topic", topic()))
        .addIfNotNull(DisplayData.item("batch", batch()))
        .add(DisplayData.item("shards", shards()));
  }

  /** Leaves out the configuration. */
  @Override
  public final String toString() {
    return "KafkaPublishIO.publishInTransactions(" + applicationId() + "/" + sinkName() + ")";
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setApplicationId(String value);

    abstract Builder setSinkName(String value);

    abstract Builder setTopic(@Nullable String value);

    abstract Builder setProgressTopic(@Nullable String value);

    abstract Builder setConfig(@Nullable KafkaConfig value);

    abstract Builder setBatch(@Nullable Long value);

    abstract Builder setPlanFingerprint(@Nullable String value);

    abstract Builder setShards(int value);

    abstract Builder setTransactionTimeout(Duration value);

    abstract PublishInTransactions build();
  }
}
