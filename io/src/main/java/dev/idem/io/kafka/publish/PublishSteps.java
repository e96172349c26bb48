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

import dev.idem.transforms.fingerprint.ContentSum;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.Serializable;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Function;

/*
 * Two kinds of records are in the progress topic: the plan, under application/sink/topic, and for
 * each shard the batch that it has, under application/sink/topic/shard. The key is also the
 * transactional id of whoever may write the record.
 *
 * Whoever writes takes its id first and reads then. Kafka ends the transaction of the earlier owner
 * of the id when it is taken, or lets a commit that has begun come to its end; so what is read is
 * all that an earlier attempt ever does, and the decision stays true until the id is taken again,
 * by which the commit fails. That holds only if the log is read to its very end: records of this
 * shard may lie behind the open transaction of another one, where a reader of committed records
 * stops. So the end is asked for without regard to transactions, and waited for.
 *
 * Nothing of this depends on runs and leases. They keep two runs of one batch from taking ids from
 * each other for ever: one that another took the batch from does not come back to it. And when a
 * batch is taken over all its shards are fenced at once, so that a killed attempt's transactions
 * hold up nobody, neither readers of the topic nor those who wait for the end of the progress.
 *
 * A batch is closed when each of its shards has a record, and the next is opened only then; so an
 * attempt of an earlier batch, however late it wakes, finds its shard published or the plan of a
 * later batch, or its id taken.
 */
/**
 * The steps by which a batch is published once: {@link #open}, {@link #publishShard} for each
 * shard, {@link #close}. {@link PublishInTransactions} takes them in a pipeline; a driver that has
 * a plan and a lease of its own may take them itself.
 *
 * <p>Each step may be repeated, by anybody, at any time: what is done is found and not done again,
 * and what another run has taken over is refused.
 */
public final class PublishSteps implements Serializable {

  private static final long serialVersionUID = 1L;
  private static final long OWN_OFFSET = -1;

  private final PublishTarget target;
  private final Clock clock;

  private PublishSteps(PublishTarget target, Clock clock) {
    this.target = target;
    this.clock = clock;
  }

  /** Returns the steps of a target. */
  public static PublishSteps of(PublishTarget target) {
    return new PublishSteps(target, Clock.systemUTC());
  }

  PublishSteps withClock(Clock other) {
    return new PublishSteps(target, other);
  }

  /** Returns what these are the steps of. */
  public PublishTarget target() {
    return target;
  }

  /** Returns what is remembered of the sink's last batch; it may be open. */
  public Optional<BatchRecord> state() {
    return read(ProgressReader::batch).orElse(Optional.empty());
  }

  /**
   * Returns what is remembered of the last batch of every sink of the topic, by application and
   * sink as {@code application/sink}; it may be open.
   */
  public Map<String, BatchRecord> states() {
    return read(ProgressReader::batches).orElse(Map.of());
  }

  /** Reads the progress topic, if there is one; nothing is made. */
  private <T> Optional<T> read(Function<ProgressReader, T> question) {
    try (ProgressTopic topic = new ProgressTopic(target, clock)) {
      if (!topic.exists()) {
        return Optional.empty();
      }
      topic.ensure();
      try (ProgressReader reader = ProgressReader.from(target, 0, clock)) {
        reader.readTo(topic.stableEnd());
        return Optional.of(question.apply(reader));
      }
    }
  }

  /**
   * Refuses a topic that cannot be published to: one that does not exist, or was created again
   * since the sink's last batch.
   *
   * @throws SendFailedException if there is no topic
   * @throws BatchRefusedException if it is another one
   */
  public void refuseUnusable() {
    try (ProgressTopic topic = new ProgressTopic(target, clock)) {
      String topicId = topic.topicId();
      state()
          .filter(found -> !found.topicId().equals(topicId))
          .ifPresent(
              found -> {
                throw PublishErrors.otherTopic(target, found.batch() + 1, found, topicId);
              });
    }
  }

  /**
   * Opens a batch, or goes on with one that is open. The progress topic is made if there is none.
   * Once this has returned nothing of an earlier run of the batch holds up a reader.
   *
   * @throws BatchRefusedException if the batch is older than the last one and no record shows that
   *     it is published under this plan, if the last one is open, or if the topic was created again
   * @throws PublisherFencedException if a run with a later lease has the batch
   * @throws ProgressTopicException if the progress topic forgets or is damaged
   */
  public OpenBatch open(BatchPlan plan) {
    try (ProgressTopic topic = new ProgressTopic(target, clock)) {
      topic.ensure();
      String topicId = topic.topicId();
      try (ProgressReader reader = ProgressReader.from(target, 0, clock)) {
        reader.readTo(topic.stableEnd());
        // What is to be refused takes no id from others.
        Optional<OpenBatch> published = published(plan, reader.batch(), topicId);
        if (published.isPresent()) {
          return published.get();
        }
        try (PublishTransaction transaction = PublishTransaction.take(target, target.id(), clock)) {
          reader.readTo(topic.stableEnd());
          Optional<OpenBatch> now = published(plan, reader.batch(), topicId);
          if (now.isPresent()) {
            return now.get();
          }
          Optional<BatchRecord> pending = reader.batch().filter(found -> !found.closed());
          if (pending.isPresent() && pending.get().hasRun(plan.lease(), plan.run())) {
            return opened(pending.get());
          }
          pending.ifPresent(found -> topic.fence(found.shards()));
          BatchRecord next =
              pending
                  .map(found -> found.takenOver(plan))
                  .orElseGet(() -> begun(plan, topicId, reader.batch()));
          transaction.commit(
              List.of(), OptionalLong.empty(), target.id(), ProgressCodec.encode(next));
        }
        reader.readTo(topic.end());
        BatchRecord last = reader.batch().orElseThrow();
        if (!last.isOf(plan) || !last.hasRun(plan.lease(), plan.run())) {
          throw PublishErrors.superseded(target, target.id(), plan.batch(), last);
        }
        return opened(last);
      }
    }
  }

  /** Returns the batch if it is published; empty if this plan may be published. */
  private Optional<OpenBatch> published(
      BatchPlan plan, Optional<BatchRecord> last, String topicId) {
    if (last.isEmpty()) {
      return Optional.empty();
    }
    BatchRecord found = last.get();
    if (!found.topicId().equals(topicId)) {
      throw PublishErrors.otherTopic(target, plan.batch(), found, topicId);
    }
    if (plan.lease() < found.lease()) {
      throw PublishErrors.superseded(target, target.id(), plan.batch(), found);
    }
    if (plan.batch() > found.batch()) {
      if (!found.closed()) {
        throw PublishErrors.unfinished(target, plan.batch(), found);
      }
      return Optional.empty();
    }
    if (plan.batch() == found.batch() && !found.closed()) {
      if (!found.isOf(plan)) {
        throw PublishErrors.otherPlan(
            target, plan.batch(), found, found.fingerprint(), plan.fingerprint());
      }
      return Optional.empty();
    }
    BatchRecord.Kept kept =
        found
            .kept(plan.batch())
            .orElseThrow(() -> PublishErrors.behind(target, plan.batch(), found));
    if (!kept.fingerprint().equals(plan.fingerprint()) || !kept.epoch().equals(plan.epoch())) {
      throw PublishErrors.otherPlan(
          target, plan.batch(), found, kept.fingerprint(), plan.fingerprint());
    }
    return Optional.of(
        new OpenBatch(
            plan.batch(),
            plan.fingerprint(),
            plan.lease(),
            plan.run(),
            plan.shards(),
            found.since(),
            true));
  }

  private static BatchRecord begun(BatchPlan plan, String topicId, Optional<BatchRecord> last) {
    return new BatchRecord(
        plan.batch(),
        plan.fingerprint(),
        plan.epoch(),
        plan.lease(),
        plan.run(),
        plan.shards(),
        topicId,
        OWN_OFFSET,
        plan.body(),
        false,
        "",
        last.map(BatchRecord::kept).orElse(List.of()));
  }

  private static OpenBatch opened(BatchRecord record) {
    return new OpenBatch(
        record.batch(),
        record.fingerprint(),
        record.lease(),
        record.run(),
        record.shards(),
        record.since(),
        false);
  }

  /**
   * Publishes a shard in one transaction, or finds that it is published.
   *
   * @param events all events of the shard, in any order; they are published by key and sequence
   * @throws PublisherFencedException if another attempt has taken the shard, or another run the
   *     batch; nothing of this attempt is in the topic
   * @throws ContentChangedException if the shard is published with other events
   * @throws EventRefusedException if an event is too large; nothing of the shard is in the topic
   * @throws TransactionTimedOutException if the transaction took too long, or its timeout is more
   *     than the broker allows
   */
  public ShardOutcome publishShard(OpenBatch batch, int shard, List<KafkaEvent> events) {
    return publish(batch, shard, events, false);
  }

  /**
   * Publishes a shard as {@link #publishShard} does, and leaves out events that are too large; the
   * shard's record keeps their ids. Each of them costs one more attempt at the transaction.
   *
   * @return what is published, and what is left out, the same at every attempt
   */
  public ShardOutcome publishFitting(OpenBatch batch, int shard, List<KafkaEvent> events) {
    return publish(batch, shard, events, true);
  }

  private ShardOutcome publish(
      OpenBatch batch, int shard, List<KafkaEvent> events, boolean leavingOut) {
    if (batch.published()) {
      return published(batch, shard, events, leavingOut);
    }
    String id = target.shardId(shard);
    try (PublishTransaction transaction = PublishTransaction.take(target, id, clock);
        ProgressTopic topic = new ProgressTopic(target, clock);
        ProgressReader reader = ProgressReader.from(target, batch.since(), clock)) {
      reader.readTo(topic.end());
      BatchRecord plan = plan(reader, id, batch);
      Optional<ShardRecord> recorded = reader.shard(shard).filter(found -> found.isOf(batch));
      if (recorded.isPresent()) {
        List<KafkaEvent> taken = without(events, recorded.get().tooLarge());
        requireSame(batch, shard, recorded.get(), taken);
        return outcome(shard, true, taken, recorded.get().tooLarge());
      }
      if (plan.closed() || !plan.hasRun(batch.lease(), batch.run())) {
        throw PublishErrors.superseded(target, id, batch.batch(), plan);
      }
      List<KafkaEvent> ordered = new ArrayList<>(events);
      ordered.sort(KafkaEvent.ORDER);
      List<String> tooLarge = new ArrayList<>();
      while (true) {
        try {
          transaction.commit(
              ordered,
              OptionalLong.of(batch.batch()),
              id,
              ProgressCodec.encode(record(batch, ordered, tooLarge)));
          return outcome(shard, false, ordered, tooLarge);
        } catch (EventRefusedException e) {
          if (!leavingOut) {
            throw e;
          }
          tooLarge.add(e.eventId());
          ordered = without(ordered, List.of(e.eventId()));
        }
      }
    }
  }

  /** What was left out of a shard is known as long as no later batch has it. */
  private ShardOutcome published(
      OpenBatch batch, int shard, List<KafkaEvent> events, boolean leavingOut) {
    if (!leavingOut) {
      return outcome(shard, true, events, List.of());
    }
    try (ProgressTopic topic = new ProgressTopic(target, clock);
        ProgressReader reader = ProgressReader.from(target, batch.since(), clock)) {
      reader.readTo(topic.end());
      List<String> tooLarge =
          reader
              .shard(shard)
              .filter(found -> found.isOf(batch))
              .map(ShardRecord::tooLarge)
              .orElse(List.of());
      return outcome(shard, true, without(events, tooLarge), tooLarge);
    }
  }

  private List<KafkaEvent> without(List<KafkaEvent> events, List<String> ids) {
    return ids.isEmpty()
        ? events
        : events.stream().filter(event -> !ids.contains(target.eventId(event))).toList();
  }

  private static ShardOutcome outcome(
      int shard, boolean already, List<KafkaEvent> events, List<String> tooLarge) {
    return new ShardOutcome(shard, already, events.size(), content(events), tooLarge);
  }

  private static ShardRecord record(
      OpenBatch batch, List<KafkaEvent> events, List<String> tooLarge) {
    return new ShardRecord(
        batch.batch(),
        batch.fingerprint(),
        batch.shards(),
        events.size(),
        content(events).toString(),
        tooLarge);
  }

  private BatchRecord plan(ProgressReader reader, String id, OpenBatch batch) {
    BatchRecord plan =
        reader
            .batch()
            .orElseThrow(() -> PublishErrors.damaged(target, target.id(), "missing", null));
    if (plan.batch() != batch.batch() || !plan.fingerprint().equals(batch.fingerprint())) {
      throw PublishErrors.superseded(target, id, batch.batch(), plan);
    }
    return plan;
  }

  private void requireSame(
      OpenBatch batch, int shard, ShardRecord recorded, List<KafkaEvent> events) {
    long records = events.size();
    ContentSum content = content(events);
    if (recorded.records() != records || !recorded.content().equals(content.toString())) {
      throw PublishErrors.contentChanged(
          target,
          batch.batch(),
          "shard " + shard,
          hash(recorded.records(), recorded.content()),
          hash(records, content.toString()));
    }
  }

  /**
   * Closes a batch whose shards are all published, or finds it closed.
   *
   * @param summary text of the caller's that is kept with the batch
   * @return what is remembered of the batch
   * @throws BatchRefusedException if a shard is not published
   * @throws PublisherFencedException if another run has taken the batch
   */
  public BatchRecord.Kept close(OpenBatch batch, String summary) {
    try (ProgressTopic topic = new ProgressTopic(target, clock)) {
      if (batch.published()) {
        return kept(topic, batch);
      }
      try (PublishTransaction transaction = PublishTransaction.take(target, target.id(), clock);
          ProgressReader reader = ProgressReader.from(target, batch.since(), clock)) {
        reader.readTo(topic.end());
        BatchRecord plan = plan(reader, target.id(), batch);
        if (plan.closed()) {
          return plan.kept(batch.batch()).orElseThrow();
        }
        if (!plan.hasRun(batch.lease(), batch.run())) {
          throw PublishErrors.superseded(target, target.id(), batch.batch(), plan);
        }
        BatchRecord closed = closed(reader, batch, plan, summary);
        transaction.commit(
            List.of(), OptionalLong.empty(), target.id(), ProgressCodec.encode(closed));
        return closed.kept(batch.batch()).orElseThrow();
      }
    }
  }

  private BatchRecord closed(
      ProgressReader reader, OpenBatch batch, BatchRecord plan, String summary) {
    long records = 0;
    ContentSum content = ContentSum.EMPTY;
    List<Integer> missing = new ArrayList<>();
    for (int shard = 0; shard < plan.shards(); shard++) {
      Optional<ShardRecord> found = reader.shard(shard).filter(record -> record.isOf(batch));
      if (found.isEmpty()) {
        missing.add(shard);
      } else {
        records += found.get().records();
        content = content.plus(ContentSum.parse(found.get().content()));
      }
    }
    if (!missing.isEmpty()) {
      throw PublishErrors.shardsMissing(target, plan, missing);
    }
    return plan.close(summary, records, hash(records, content.toString()));
  }

  private BatchRecord.Kept kept(ProgressTopic topic, OpenBatch batch) {
    try (ProgressReader reader = ProgressReader.from(target, batch.since(), clock)) {
      reader.readTo(topic.stableEnd());
      BatchRecord last = reader.batch().orElseThrow();
      return last.kept(batch.batch())
          .orElseThrow(() -> PublishErrors.behind(target, batch.batch(), last));
    }
  }

  /** Returns the sum over events, in whatever order. */
  static ContentSum content(List<KafkaEvent> events) {
    ContentSum sum = ContentSum.EMPTY;
    for (KafkaEvent event : events) {
      sum = sum.plus(Fingerprint.of(KafkaEventCoder.bytes(event)));
    }
    return sum;
  }

  /** With a dash it can never be taken for a plan fingerprint that somebody gave. */
  static String hash(long records, String content) {
    return records + "-" + content;
  }
}
