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

import dev.idem.transforms.external.DeadLetter;
import java.time.Duration;
import java.util.Collection;
import org.apache.kafka.common.errors.RecordTooLargeException;

/** The one place that words what can go wrong while records are published. */
final class PublishErrors {
  private PublishErrors() {}

  static IllegalArgumentException noKey() {
    return new IllegalArgumentException(
        "Event to publish must have a key, but was: null. Without one it has no event id and no"
            + " order; give it a key, or leave it out.");
  }

  static IllegalArgumentException noSequence() {
    return new IllegalArgumentException(
        "Event to publish must have a sequence, but was: null. Use no bytes if there is but one"
            + " event of the key.");
  }

  static IllegalArgumentException reservedHeader(String name) {
    return new IllegalArgumentException(
        "Header of an event must not begin with \"%s\", but was: \"%s\". Name it otherwise."
            .formatted(EventHeaders.PREFIX, name));
  }

  static IllegalArgumentException name(String thing, String name) {
    return new IllegalArgumentException(
        "%s must be text without \"/\", but was: \"%s\". Choose a name that stays the same over restarts."
            .formatted(thing, name));
  }

  static IllegalArgumentException sameTopic(String topic) {
    return new IllegalArgumentException(
        "Progress topic must be another one than the topic, but was: \"%s\". Leave it out, or name a compacted topic."
            .formatted(topic));
  }

  static IllegalArgumentException timeout(Duration timeout) {
    return new IllegalArgumentException(
        "Transaction timeout must be at least 1 ms, but was: %s. Choose more than a shard takes to send."
            .formatted(timeout));
  }

  static IllegalArgumentException batch(long batch) {
    return new IllegalArgumentException(
        "Batch id must not be negative, but was: %d. Count from 0.".formatted(batch));
  }

  static IllegalArgumentException fingerprint() {
    return new IllegalArgumentException(
        "Plan fingerprint must not be blank, but was: \"\". Leave it out to use the content.");
  }

  static IllegalArgumentException shards(int shards) {
    return new IllegalArgumentException(
        "Shards must be at least 1, but was: %d. Take about one for tens of megabytes of a batch."
            .formatted(shards));
  }

  static IllegalArgumentException missing(String thing, String method) {
    return new IllegalArgumentException(
        "Publication to Kafka must have a %s, but was: none. Call %s.".formatted(thing, method));
  }

  static IllegalArgumentException unbounded() {
    return new IllegalArgumentException(
        "Input of a publication in transactions must be bounded, but was: UNBOUNDED. A batch is one"
            + " set of transactions, which a replay must find again; run the pipeline in batches,"
            + " or use publishAtLeastOnce and let readers leave out copies.");
  }

  static IllegalArgumentException windowed(String window) {
    return new IllegalArgumentException(
        "Input of a publication in transactions must be in the global window, but was: %s. Apply Window.into(new GlobalWindows()) first."
            .formatted(window));
  }

  static SendFailedException notAcknowledged(PublishTarget target, long failed, Throwable first) {
    return new SendFailedException(
        target.topic(),
        "Records must be acknowledged by topic \"%s\", but was: %d failed, the first with %s. See the cause; a retry sends all of them again."
            .formatted(target.topic(), failed, first.getClass().getSimpleName()),
        first,
        failed);
  }

  static EventRefusedException eventRefused(
      PublishTarget target, KafkaEvent event, Throwable cause) {
    String id = target.eventId(event);
    return new EventRefusedException(
        target.topic(),
        "Event %s must be taken by topic \"%s\", but was: refused with %s (%d bytes of key, value and headers). Leave it out, or raise max.request.size of the producer and max.message.bytes of the topic; nothing of its shard was written."
            .formatted(
                id, target.topic(), cause.getClass().getSimpleName(), PublishTarget.size(event)),
        cause,
        id,
        PublishTarget.size(event));
  }

  /** Says the same at every attempt, since what is said is compared. */
  static <T> DeadLetter<T> tooLarge(T element, String id, KafkaEvent event) {
    return new DeadLetter<>(
        element,
        id,
        RecordTooLargeException.class.getName(),
        "Event must be as large as producer and topic take it, but was: %d bytes of key, value and headers. Raise max.request.size and max.message.bytes."
            .formatted(PublishTarget.size(event)),
        1);
  }

  static <T> DeadLetter<T> keyless(T element) {
    return new DeadLetter<>(element, "", "null key", noKey().getMessage(), 0);
  }

  static BatchRefusedException otherPlan(
      PublishTarget target, long batch, BatchRecord found, String foundPlan, String plan) {
    return refused(
        target,
        batch,
        found,
        "Batch %d of \"%s\" must have the plan that \"%s\" recorded for it, but was: %s instead of %s (the last batch is %d). Use the checkpoint that belongs to the topic, or another application id; nothing was published."
            .formatted(batch, target.id(), target.progressTopic(), plan, foundPlan, found.batch()));
  }

  static BatchRefusedException behind(PublishTarget target, long batch, BatchRecord found) {
    return refused(
        target,
        batch,
        found,
        "Batch of \"%s\" must be later than %d, the last one that \"%s\" recorded, or one whose plan it kept, but was: %d. Use the checkpoint that belongs to the topic, or another application id; nothing was published."
            .formatted(target.id(), found.batch(), target.progressTopic(), batch));
  }

  static BatchRefusedException unfinished(PublishTarget target, long batch, BatchRecord found) {
    return refused(
        target,
        batch,
        found,
        "Batch of \"%s\" must be %d, which is open: some of its shards may be in the topic, but was: %d. Run batch %d again with the same plan first; nothing was published."
            .formatted(target.id(), found.batch(), batch, found.batch()));
  }

  static BatchRefusedException otherTopic(
      PublishTarget target, long batch, BatchRecord found, String topicId) {
    return refused(
        target,
        batch,
        found,
        "Topic \"%s\" must have id %s, to which \"%s\" published batch %d, but was: %s. It was created again; put it back, or use another application id. Nothing was published."
            .formatted(target.topic(), found.topicId(), target.id(), found.batch(), topicId));
  }

  static BatchRefusedException shardsMissing(
      PublishTarget target, BatchRecord found, Collection<Integer> shards) {
    return refused(
        target,
        found.batch(),
        found,
        "Batch %d of \"%s\" must have a record of each of its %d shards before it is closed, but was: none of %s. Run the batch again; what is published is not published again."
            .formatted(found.batch(), target.id(), found.shards(), shards));
  }

  private static BatchRefusedException refused(
      PublishTarget target, long batch, BatchRecord found, String message) {
    return new BatchRefusedException(
        target.topic(), message, null, target.sinkId(), batch, found.batch());
  }

  static ContentChangedException contentChanged(
      PublishTarget target, long batch, String where, String recorded, String content) {
    return new ContentChangedException(
        target.topic(),
        "Content of %s of batch %d of \"%s\" must be %s as \"%s\" recorded it, but was: %s. The pipeline gave other events for the same plan; make it deterministic."
            .formatted(where, batch, target.id(), recorded, target.progressTopic(), content),
        null,
        target.sinkId(),
        batch,
        recorded,
        content);
  }

  static PublisherFencedException fenced(
      PublishTarget target, String transactionalId, Throwable cause) {
    return new PublisherFencedException(
        target.topic(),
        "Transaction of \"%s\" must be that of the last attempt, but was: fenced by another one. Nothing of it is in topic \"%s\"; if nobody else runs the batch, run it again."
            .formatted(transactionalId, target.topic()),
        cause,
        transactionalId);
  }

  static PublisherFencedException superseded(
      PublishTarget target, String transactionalId, long batch, BatchRecord found) {
    return new PublisherFencedException(
        target.topic(),
        "Attempt of \"%s\" must be of the run that has the topic, but was: batch %d, while run \"%s\" with lease %d has batch %d (%s). Another run came in its place; nothing was published."
            .formatted(
                transactionalId,
                batch,
                found.run(),
                found.lease(),
                found.batch(),
                found.closed() ? "closed" : "open"),
        null,
        transactionalId);
  }

  static TransactionTimedOutException timedOut(
      PublishTarget target, String transactionalId, Duration open, Throwable cause) {
    return new TransactionTimedOutException(
        target.topic(),
        "Transaction of \"%s\" must be committed within %s, but was: open for %s. Raise the timeout up to transaction.max.timeout.ms of the broker, or use more shards; nothing of it is in topic \"%s\"."
            .formatted(transactionalId, target.transactionTimeout(), open, target.topic()),
        cause,
        transactionalId,
        target.transactionTimeout());
  }

  static TransactionTimedOutException timeoutTooLong(
      PublishTarget target, String transactionalId, Throwable cause) {
    return new TransactionTimedOutException(
        target.topic(),
        "Transaction timeout of \"%s\" must be at most transaction.max.timeout.ms of the broker, but was: %s. Lower it, or raise the broker's limit; nothing was published."
            .formatted(transactionalId, target.transactionTimeout()),
        cause,
        transactionalId,
        target.transactionTimeout());
  }

  static SendFailedException noTopic(PublishTarget target) {
    return new SendFailedException(
        target.topic(),
        "Topic \"%s\" must exist before it is published to, but was: not found. Create it, with the partitions it is to have for good."
            .formatted(target.topic()),
        null,
        0);
  }

  static ProgressTopicException forgetful(PublishTarget target, String policy) {
    return progress(
        target,
        "Progress topic \"%s\" must have cleanup.policy compact and nothing else, but was: \"%s\". Another policy forgets batches, which are then published again; set it, or name another topic by withProgressTopic."
            .formatted(target.progressTopic(), policy),
        null);
  }

  static ProgressTopicException partitions(PublishTarget target, int partitions) {
    return progress(
        target,
        "Progress topic \"%s\" must have 1 partition, but was: %d. Name another topic by withProgressTopic."
            .formatted(target.progressTopic(), partitions),
        null);
  }

  static ProgressTopicException damaged(
      PublishTarget target, String key, String found, Throwable cause) {
    return progress(
        target,
        "Record \"%s\" of progress topic \"%s\" must be as this library writes it, but was: %s. Put the topic back from a copy, or publish under another application id."
            .formatted(key, target.progressTopic(), found),
        cause);
  }

  static ProgressTopicException stuck(
      PublishTarget target, long position, long end, Duration waited) {
    return progress(
        target,
        "Progress topic \"%s\" must be readable up to offset %d within %s, but was: stuck at offset %d. A transaction on it is open; end it, or run the batch again once it has timed out."
            .formatted(target.progressTopic(), end, waited, position),
        null);
  }

  private static ProgressTopicException progress(
      PublishTarget target, String message, Throwable cause) {
    return new ProgressTopicException(target.topic(), message, cause, target.progressTopic());
  }
}
