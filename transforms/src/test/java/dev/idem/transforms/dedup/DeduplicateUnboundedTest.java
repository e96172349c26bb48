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
package dev.idem.transforms.dedup;

import static dev.idem.transforms.dedup.Clicks.click;
import static dev.idem.transforms.dedup.Clicks.minute;
import static dev.idem.transforms.dedup.Clicks.remembered;
import static dev.idem.transforms.dedup.Clicks.verdict;
import static dev.idem.transforms.dedup.Verdict.Kind.CONFLICT;
import static dev.idem.transforms.dedup.Verdict.Kind.DUPLICATE;
import static dev.idem.transforms.dedup.Verdict.Kind.INVALID;
import static dev.idem.transforms.dedup.Verdict.Kind.LATE;
import static dev.idem.transforms.dedup.Verdict.Kind.UNIQUE;

import dev.idem.transforms.fingerprint.RowEncoding;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.List;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestPipeline;
import org.apache.beam.sdk.testing.TestPipelineExtension;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TestPipelineExtension.class)
class DeduplicateUnboundedTest {
  private static final Duration FIVE_MINUTES = Duration.standardMinutes(5);
  private static final TestStream.Builder<Row> STREAM =
      TestStream.create(RowCoder.of(Clicks.SCHEMA));

  @Test
  void copyOnTimeIsDuplicateAndOtherPayloadConflict(TestPipeline pipeline) {
    // The same wrong identity as in row 17 of the seeds: the second, real click is not lost.
    var first = click("a", 1, 0, 1);
    var copy = click("a", 1, 1, 2);
    var otherPayload = click("a", 2, 2, 3);

    var verdicts =
        pipeline.apply(oneByOne(List.of(first, copy, otherPayload))).apply(deduplicate());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                verdict(UNIQUE, first, remembered("a", 1, 5)),
                verdict(DUPLICATE, copy, remembered("a", 1, 6)),
                verdict(CONFLICT, otherPayload, remembered("a", 1, 7))));
    pipeline.run();
  }

  @Test
  void verdictsKeepTheTimestampsOfTheirElements(TestPipeline pipeline) {
    var first = click("a", 1, 3, 1);
    var copy = click("a", 1, 1, 2);

    PCollection<Instant> timestamps =
        pipeline
            .apply(oneByOne(List.of(first, copy)))
            .apply(deduplicate())
            .apply("Timestamps", ParDo.of(new TimestampOfFn()));

    PAssert.that(timestamps).containsInAnyOrder(minute(3), minute(1));
    pipeline.run();
  }

  @Test
  void elementBeforeTheWatermarkIsLateOnlyIfItsKeyIsNotRemembered(TestPipeline pipeline) {
    var first = click("a", 1, 0, 1);
    var ahead = click("b", 1, 8, 2);
    var lateCopy = click("a", 1, 1, 3);
    var late = click("c", 1, 2.9, 4);
    var onTime = click("d", 1, 3, 5);

    var verdicts =
        pipeline
            .apply(oneByOne(List.of(first, ahead, lateCopy, late, onTime)))
            .apply(deduplicate());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                verdict(UNIQUE, first, remembered("a", 1, 5)),
                verdict(UNIQUE, ahead, remembered("b", 1, 13)),
                verdict(DUPLICATE, lateCopy),
                verdict(LATE, late),
                verdict(UNIQUE, onTime, remembered("d", 1, 8))));
    pipeline.run();
  }

  @Test
  void keyIsForgottenWhenElementsMoveTheWatermarkToItsExpiry(TestPipeline pipeline) {
    // Row 15 of the seeds: inside five minutes a duplicate, just beyond it passes.
    var first = click("a", 1, 0, 1);
    var before = click("x", 1, 9.9, 2);
    var inside = click("a", 1, 4.8, 3);
    var after = click("y", 1, 10, 4);
    var beyond = click("a", 1, 5.1, 5);

    var verdicts =
        pipeline
            .apply(oneByOne(List.of(first, before, inside, after, beyond)))
            .apply(deduplicate());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                verdict(UNIQUE, first, remembered("a", 1, 5)),
                verdict(UNIQUE, before, remembered("x", 1, 14.9)),
                verdict(DUPLICATE, inside),
                verdict(UNIQUE, after, remembered("y", 1, 15)),
                verdict(UNIQUE, beyond, remembered("a", 1, 10.1))));
    pipeline.run();
  }

  @Test
  void timerForgetsAndMovesTheWatermarkWithoutElements(TestPipeline pipeline) {
    var first = click("a", 1, 0, 1);
    var again = click("a", 1, 6, 2);
    var beforeTheTimer = click("b", 1, 4, 3);

    var verdicts =
        pipeline
            .apply(
                STREAM
                    .addElements(first)
                    .advanceWatermarkTo(minute(5.01))
                    .addElements(again)
                    .addElements(beforeTheTimer)
                    .advanceWatermarkToInfinity())
            .apply(deduplicate());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                verdict(UNIQUE, first, remembered("a", 1, 5)),
                verdict(UNIQUE, again, remembered("a", 1, 11)),
                verdict(LATE, beforeTheTimer)));
    pipeline.run();
  }

  @Test
  void watermarkOfTheRunnerShortOfTheExpiryForgetsNothing(TestPipeline pipeline) {
    var first = click("a", 1, 0, 1);
    var again = click("a", 1, 6, 2);

    var verdicts =
        pipeline
            .apply(
                STREAM
                    .addElements(first)
                    .advanceWatermarkTo(minute(4.99))
                    .addElements(again)
                    .advanceWatermarkToInfinity())
            .apply(deduplicate());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                verdict(UNIQUE, first, remembered("a", 1, 5)),
                verdict(DUPLICATE, again, remembered("a", 1, 11))));
    pipeline.run();
  }

  @Test
  void outOfOrderCopiesExtendTheMemoryAndNoneLeaks(TestPipeline pipeline) {
    // Times 10, 1, 12 with a horizon of 10: a memory counted from the first copy leaks the third.
    var ten = click("a", 1, 10, 1);
    var one = click("a", 1, 1, 2);
    var twelve = click("a", 1, 12, 3);
    var far = click("x", 1, 31.9, 4);
    var again = click("a", 1, 21.9, 5);

    var verdicts =
        pipeline
            .apply(oneByOne(List.of(ten, one, twelve, far, again)))
            .apply(
                DeduplicateWithinWatermark.rows("id")
                    .withDelay(Duration.standardMinutes(10))
                    .withoutPayload("offset")
                    .withBuckets(1)
                    .verdicts());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                verdict(UNIQUE, ten, remembered("a", 1, 20)),
                verdict(DUPLICATE, one),
                verdict(DUPLICATE, twelve, remembered("a", 1, 22)),
                verdict(UNIQUE, far, remembered("x", 1, 41.9)),
                verdict(DUPLICATE, again, remembered("a", 1, 31.9))));
    pipeline.run();
  }

  @Test
  void everyElementAgainIsOnlyDuplicates(TestPipeline pipeline) {
    var clicks = List.of(click("a", 1, 0, 1), click("b", 1, 1, 2), click(null, 1, 1, 3));

    var verdicts =
        pipeline
            .apply(
                STREAM
                    .addElements(clicks.get(0), clicks.get(1), clicks.get(2))
                    .addElements(clicks.get(0), clicks.get(1), clicks.get(2))
                    .advanceWatermarkToInfinity())
            .apply(DeduplicateWithinWatermark.rows("id").withDelay(FIVE_MINUTES).verdicts());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                new Verdict<>(UNIQUE, clicks.get(0).getValue(), fullyRemembered(clicks.get(0), 5)),
                new Verdict<>(UNIQUE, clicks.get(1).getValue(), fullyRemembered(clicks.get(1), 6)),
                verdict(INVALID, clicks.get(2)),
                verdict(DUPLICATE, clicks.get(0)),
                verdict(DUPLICATE, clicks.get(1)),
                verdict(INVALID, clicks.get(2))));
    pipeline.run();
  }

  @Test
  void horizonLongerThanTheDelayFindsCopiesThatLieFurtherApart(TestPipeline pipeline) {
    var first = click("a", 1, 0, 1);
    var far = click("x", 1, 20, 2);
    var copy = click("a", 1, 21, 3);

    var verdicts =
        pipeline
            .apply(oneByOne(List.of(first, far, copy)))
            .apply(
                DeduplicateWithinWatermark.rows("id")
                    .withDelay(FIVE_MINUTES)
                    .withHorizon(Duration.standardMinutes(60))
                    .withoutPayload("offset")
                    .withBuckets(1)
                    .verdicts());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                verdict(UNIQUE, first, remembered("a", 1, 60)),
                verdict(UNIQUE, far, remembered("x", 1, 80)),
                verdict(DUPLICATE, copy, remembered("a", 1, 81))));
    pipeline.run();
  }

  @Test
  void elementFromTheFutureDoesNotMakeHonestOnesLate(TestPipeline pipeline) {
    // DEV-03, for the watermark that a bucket keeps.
    var honest = click("h0", 1, 0, 1);
    var future = click("bad", 1, 24 * 60, 2);
    var later = click("h1", 1, 2, 3);
    Clock clock =
        Clock.fixed(java.time.Instant.ofEpochMilli(minute(12).getMillis()), ZoneOffset.UTC);

    var verdicts =
        pipeline
            .apply(oneByOne(List.of(honest, future, later)))
            .apply(
                DeduplicateWithinWatermark.rows("id")
                    .withDelay(Duration.standardMinutes(1))
                    .withHorizon(FIVE_MINUTES)
                    .withoutPayload("offset")
                    .withBuckets(1)
                    .withMaxFutureSkew(FIVE_MINUTES, clock)
                    .verdicts());

    PAssert.that(verdicts)
        .containsInAnyOrder(
            List.of(
                verdict(UNIQUE, honest, remembered("h0", 1, 5)),
                verdict(UNIQUE, future, remembered("bad", 1, 24 * 60 + 5)),
                verdict(UNIQUE, later, remembered("h1", 1, 7))));
    pipeline.run();
  }

  @Test
  void resultHoldsEveryElementInExactlyOneOutput(TestPipeline pipeline) {
    var first = click("a", 1, 8, 1);
    var copy = click("a", 1, 8, 2);
    var conflict = click("a", 2, 8, 3);
    var late = click("b", 1, 0, 4);
    var invalid = click(null, 1, 8, 5);

    DeduplicateWithinWatermark.Result<Row> result =
        pipeline
            .apply(oneByOne(List.of(first, copy, conflict, late, invalid)))
            .apply(
                DeduplicateWithinWatermark.rows("id")
                    .withDelay(FIVE_MINUTES)
                    .withoutPayload("offset")
                    .withBuckets(1));

    PAssert.that(result.unique()).containsInAnyOrder(first.getValue());
    PAssert.that(result.duplicates()).containsInAnyOrder(copy.getValue());
    PAssert.that(result.conflicts()).containsInAnyOrder(conflict.getValue());
    PAssert.that(result.late()).containsInAnyOrder(late.getValue());
    PAssert.that(result.invalid()).containsInAnyOrder(invalid.getValue());
    PAssert.that(result.others()).empty();
    PAssert.that(result.remembered()).containsInAnyOrder(remembered("a", 1, 13));
    pipeline.run();
  }

  private static PTransform<PCollection<Row>, PCollection<Verdict<Row>>> deduplicate() {
    return Clicks.deduplicate().withDelay(FIVE_MINUTES).withBuckets(1).verdicts();
  }

  private static KeyMemory.Remembered fullyRemembered(TimestampedValue<Row> click, double expiry) {
    var payload = RowEncoding.of(Clicks.SCHEMA, List.of("value", "offset"));
    return new KeyMemory.Remembered(
        Clicks.key(click.getValue().getString("id")),
        payload.fingerprint(click.getValue()).high(),
        minute(expiry));
  }

  /** Each element is a bundle of its own, so that they arrive in this order. */
  private static TestStream<Row> oneByOne(List<TimestampedValue<Row>> clicks) {
    TestStream.Builder<Row> builder = STREAM;
    for (TimestampedValue<Row> click : clicks) {
      builder = builder.addElements(click);
    }
    return builder.advanceWatermarkToInfinity();
  }

  private static final class TimestampOfFn extends DoFn<Verdict<Row>, Instant> {
    @ProcessElement
    public void process(@Timestamp Instant timestamp, OutputReceiver<Instant> output) {
      output.output(timestamp);
    }
  }
}
