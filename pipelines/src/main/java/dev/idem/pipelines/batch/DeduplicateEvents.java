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
package dev.idem.pipelines.batch;

import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import dev.idem.pipelines.event.MetadataColumns;
import dev.idem.transforms.dedup.DeduplicateWithinWatermark;
import dev.idem.transforms.dedup.Position;
import dev.idem.transforms.dedup.Verdict;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.PCollection;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** Deduplicates the events of a batch by their keys and writes the verdict into each event. */
final class DeduplicateEvents extends PTransform<PCollection<Event>, PCollection<Event>> {

  private final Batch batch;
  private final String[] keyColumns;

  DeduplicateEvents(Batch batch, String... keyColumns) {
    this.batch = batch;
    this.keyColumns = keyColumns.clone();
  }

  @Override
  public PCollection<Event> expand(PCollection<Event> events) {
    EventCoder coder = (EventCoder) events.getCoder();
    DeduplicateWithinWatermark<Event> deduplicate =
        DeduplicateWithinWatermark.<Event>by(Event::row, keyColumns)
            .withRowSchema(coder.schema())
            .withPosition(DeduplicateEvents::position)
            .withoutPayload(MetadataColumns.of(coder.schema()))
            .withHorizon(Duration.millis(batch.dedupHorizon().toMillis()))
            .withMemory(batch.memory())
            .withShards(batch.shards());
    if (batch.watermark().isPresent()) {
      deduplicate =
          deduplicate.withWatermark(Instant.ofEpochMilli(batch.watermark().get().toEpochMilli()));
    }
    return events
        .apply("Deduplicate", deduplicate.mapVerdicts(taking(String.join(",", keyColumns))))
        .setCoder(coder);
  }

  private static @Nullable Position position(Event event) {
    Event.Origin origin = event.origin();
    return origin == null
        ? null
        : new Position(origin.topic(), origin.partition(), origin.offset(), origin.within());
  }

  /** Returns the event that a verdict is about, with the verdict in it. */
  private static SerializableFunction<Verdict<Event>, Event> taking(String keyColumns) {
    return verdict -> {
      Event event = verdict.element().remembering(verdict.remembered());
      return switch (verdict.kind()) {
        case UNIQUE, OTHER -> event;
        case DUPLICATE -> event.asDuplicate();
        case CONFLICT ->
            event.asDeadLetter(
                Reason.CONFLICT,
                keyColumns,
                "A copy of a remembered key must have the same content.");
        case LATE ->
            event.asDeadLetter(Reason.LATE, null, "A row must not be older than the watermark.");
        case INVALID ->
            event.asDeadLetter(Reason.NULL_KEY, keyColumns, "Every key column must have a value.");
      };
    };
  }
}
