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
import static dev.idem.transforms.dedup.Clicks.deduplicate;
import static dev.idem.transforms.dedup.Clicks.minute;
import static dev.idem.transforms.dedup.Clicks.remembered;
import static dev.idem.transforms.dedup.Clicks.row;
import static dev.idem.transforms.dedup.Clicks.run;
import static dev.idem.transforms.dedup.Clicks.runTimestamped;
import static dev.idem.transforms.dedup.Clicks.verdict;
import static dev.idem.transforms.dedup.Verdict.Kind.CONFLICT;
import static dev.idem.transforms.dedup.Verdict.Kind.DUPLICATE;
import static dev.idem.transforms.dedup.Verdict.Kind.INVALID;
import static dev.idem.transforms.dedup.Verdict.Kind.LATE;
import static dev.idem.transforms.dedup.Verdict.Kind.OTHER;
import static dev.idem.transforms.dedup.Verdict.Kind.UNIQUE;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;

import dev.idem.testing.Covers;
import dev.idem.transforms.Runner;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.beam.runners.direct.DirectOptions;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.NullableCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.AfterPane;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.Repeatedly;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeduplicateBoundedTest {

  @Covers.Row(17)
  @ParameterizedTest
  @EnumSource
  void leastEventTimeIsUniqueAndTheOthersAreDuplicatesOrConflicts(Runner runner) {
    var second = click("a", 1, 2, 10);
    var first = click("a", 1, 1, 11);
    var other = click("a", 2, 3, 12);
    var alone = click("b", 1, 0, 13);

    var verdicts = runTimestamped(runner, List.of(second, first, other, alone), deduplicate());

    assertThat(
        verdicts,
        containsInAnyOrder(
            TimestampedValue.of(verdict(UNIQUE, first, remembered("a", 1, 8)), minute(1)),
            TimestampedValue.of(verdict(DUPLICATE, second), minute(2)),
            TimestampedValue.of(verdict(CONFLICT, other), minute(3)),
            TimestampedValue.of(verdict(UNIQUE, alone, remembered("b", 1, 5)), minute(0))));
  }

  @ParameterizedTest
  @EnumSource
  void outputsThatNobodyReadsStayOutOfTheOneThatIsRead(Runner runner) {
    var first = click("a", 1, 1, 1);
    var copy = click("a", 1, 2, 2);
    var conflict = click("a", 2, 3, 3);
    Pipeline pipeline = runner.newPipeline();

    DeduplicateWithinWatermark.Result<Row> result =
        pipeline
            .apply(Create.timestamped(first, copy, conflict).withCoder(RowCoder.of(Clicks.SCHEMA)))
            .apply(deduplicate());

    PAssert.that(result.unique()).containsInAnyOrder(first.getValue());
    pipeline.run().waitUntilFinish();
  }

  @ParameterizedTest
  @EnumSource
  void resultHoldsEveryElementInExactlyOneOutput(Runner runner) {
    var first = click("a", 1, 1, 1);
    var copy = click("a", 1, 2, 2);
    var conflict = click("a", 2, 3, 3);
    var late = click("b", 1, -1, 4);
    var invalid = click(null, 1, 1, 5);
    Pipeline pipeline = runner.newPipeline();

    DeduplicateWithinWatermark.Result<Row> result =
        pipeline
            .apply(
                Create.timestamped(first, copy, conflict, late, invalid)
                    .withCoder(RowCoder.of(Clicks.SCHEMA)))
            .apply(deduplicate().withWatermark(minute(0)));

    PAssert.that(result.unique()).containsInAnyOrder(first.getValue());
    PAssert.that(result.duplicates()).containsInAnyOrder(copy.getValue());
    PAssert.that(result.conflicts()).containsInAnyOrder(conflict.getValue());
    PAssert.that(result.late()).containsInAnyOrder(late.getValue());
    PAssert.that(result.invalid()).containsInAnyOrder(invalid.getValue());
    PAssert.that(result.others()).empty();
    PAssert.that(result.remembered()).containsInAnyOrder(remembered("a", 1, 8));
    pipeline.run().waitUntilFinish();
  }

  @ParameterizedTest
  @EnumSource
  void replayedBatchDecidesAsTheFirstAttemptDid(Runner runner) {
    var batch1 = List.of(click("a", 1, 0, 1), click("b", 1, 1, 2));
    var batch2 = List.of(click("b", 1, 2, 3), click("c", 1, 2, 4), click("a", 7, 2, 5));
    MapMemory memory = new MapMemory().with(run(runner, batch1, deduplicate()));
    DeduplicateWithinWatermark<Row> deduplicate = deduplicate().withMemory(memory);

    var attempt = run(runner, batch2, deduplicate);
    var replay = run(runner, batch2, deduplicate);

    assertThat(
        attempt,
        containsInAnyOrder(
            verdict(DUPLICATE, batch2.get(0), remembered("b", 1, 7)),
            verdict(UNIQUE, batch2.get(1), remembered("c", 1, 7)),
            verdict(CONFLICT, batch2.get(2), remembered("a", 1, 7))));
    assertThat(replay, containsInAnyOrder(attempt.toArray()));
  }

  @Covers.Case("DEV-02")
  @ParameterizedTest
  @EnumSource
  void rowsWithoutKeyAreInvalidAndNeverCollapse(Runner runner) {
    // DEV-02: the fourth row has no id field at all, which in a Row is a null.
    var rows =
        List.of(
            click("e1", 1, 0, 1),
            click(null, 5, 0, 2),
            click(null, 7, 0, 3),
            click(null, 9, 0, 4),
            click("e1", 1, 0, 5),
            click("null", 11, 0, 6));

    var verdicts = run(runner, rows, deduplicate());

    assertThat(
        verdicts,
        containsInAnyOrder(
            verdict(UNIQUE, rows.get(0), remembered("e1", 1, 5)),
            verdict(INVALID, rows.get(1)),
            verdict(INVALID, rows.get(2)),
            verdict(INVALID, rows.get(3)),
            verdict(DUPLICATE, rows.get(4)),
            verdict(UNIQUE, rows.get(5), remembered("null", 11, 5))));
  }

  @Covers.Case("DEV-06")
  @ParameterizedTest
  @EnumSource
  void copiesOnEitherSideOfAMinuteAreOneElement(Runner runner) {
    // DEV-06, without the windows that are refused.
    var before = TimestampedValue.of(row("e7", 1L, 1), Clicks.NOON.plus(Duration.millis(59_900)));
    var after = TimestampedValue.of(row("e7", 1L, 2), Clicks.NOON.plus(Duration.millis(60_100)));
    var other = click("e8", 1, 0.5, 3);

    var verdicts =
        run(
            runner,
            List.of(before, after, other),
            deduplicate().withHorizon(Duration.standardSeconds(60)));

    assertThat(
        verdicts,
        containsInAnyOrder(
            verdict(
                UNIQUE,
                before,
                new Remembered(
                    Clicks.key("e7"),
                    Clicks.payload(1),
                    Clicks.NOON.plus(Duration.millis(120_100)))),
            verdict(DUPLICATE, after),
            verdict(UNIQUE, other, remembered("e8", 1, 1.5))));
  }

  @ParameterizedTest
  @EnumSource
  void equalDecimalsAreOneKey(Runner runner) {
    Schema schema = Schema.builder().addDecimalField("price").build();
    Row one = Row.withSchema(schema).addValue(new BigDecimal("1.0")).build();
    Row same = Row.withSchema(schema).addValue(new BigDecimal("1.00")).build();
    Pipeline pipeline = runner.newPipeline();
    Collected<Verdict<Row>> collected = new Collected<>();

    pipeline
        .apply(
            Create.timestamped(
                    TimestampedValue.of(same, minute(1)), TimestampedValue.of(one, minute(0)))
                .withCoder(RowCoder.of(schema)))
        .apply(
            DeduplicateWithinWatermark.rows("price")
                .withHorizon(Duration.standardMinutes(5))
                .verdicts())
        .apply(ParDo.of(collected));
    pipeline.run().waitUntilFinish();

    assertThat(
        collected.take().stream()
            .map(each -> KV.of(each.getValue().kind(), each.getValue().element()))
            .toList(),
        containsInAnyOrder(KV.of(UNIQUE, one), KV.of(DUPLICATE, same)));
  }

  @Covers.Row(15)
  @ParameterizedTest
  @EnumSource
  void compositeKeyFindsCopiesWithinTheHorizonAndForgetsBeyondIt(Runner runner) {
    // Row 15 of the seeds: (session_id, click_seq_num), five minutes, in three batches.
    DeduplicateWithinWatermark<Row> deduplicate =
        DeduplicateWithinWatermark.rows("id", "value")
            .withHorizon(Duration.standardMinutes(5))
            .withoutPayload("offset");
    var first = click("s1", 1, 0, 1);
    var otherNumber = click("s1", 2, 0, 2);
    var inside = click("s1", 1, 4, 3);
    var beyond = click("s1", 2, 5.5, 4);

    var batch1 = run(runner, List.of(first, otherNumber), deduplicate);
    MapMemory memory1 = new MapMemory().with(batch1);
    var batch2 = run(runner, List.of(inside), deduplicate.withMemory(memory1));
    MapMemory memory2 = memory1.with(batch2);
    var batch3 =
        run(runner, List.of(beyond), deduplicate.withMemory(memory2).withWatermark(minute(5)));

    assertThat(kinds(batch1), containsInAnyOrder(UNIQUE, UNIQUE));
    assertThat(kinds(batch2), containsInAnyOrder(DUPLICATE));
    assertThat(kinds(batch3), containsInAnyOrder(UNIQUE));
  }

  @ParameterizedTest
  @EnumSource
  void elementsWithoutRowPassThroughUntouched(Runner runner) {
    var keyed = KV.of(1L, row("a", 1L, 0));
    var copy = KV.of(2L, row("a", 1L, 0));
    var noRow = KV.of(3L, (Row) null);
    var noKey = KV.of(4L, row(null, 1L, 0));
    Pipeline pipeline = runner.newPipeline();
    Collected<Verdict<KV<Long, Row>>> collected = new Collected<>();

    pipeline
        .apply(
            Create.of(copy, noKey, keyed, noRow)
                .withCoder(
                    KvCoder.of(VarLongCoder.of(), NullableCoder.of(RowCoder.of(Clicks.SCHEMA)))))
        .apply(
            DeduplicateWithinWatermark.<KV<Long, Row>>by(KV::getValue, "id")
                .withRowSchema(Clicks.SCHEMA)
                .withHorizon(Duration.standardMinutes(5))
                .withPosition(element -> new Position("t", 0, element.getKey()))
                .verdicts())
        .apply(ParDo.of(collected));
    pipeline.run().waitUntilFinish();

    assertThat(
        collected.take().stream()
            .map(each -> KV.of(each.getValue().kind(), each.getValue().element()))
            .toList(),
        containsInAnyOrder(
            KV.of(UNIQUE, keyed),
            KV.of(DUPLICATE, copy),
            KV.of(OTHER, noRow),
            KV.of(INVALID, noKey)));
  }

  @ParameterizedTest
  @EnumSource
  void triggerOfTheInputDoesNotSplitAShard(Runner runner) {
    var clicks = new ArrayList<TimestampedValue<Row>>();
    for (int i = 0; i < 2_000; i++) {
      clicks.add(click("a", 1, 0, i));
    }
    Pipeline pipeline = runner.newPipeline();
    Collected<Verdict<Row>> collected = new Collected<>();

    pipeline
        .apply(Create.timestamped(clicks).withCoder(RowCoder.of(Clicks.SCHEMA)))
        .apply(
            Window.<Row>into(new GlobalWindows())
                .triggering(Repeatedly.forever(AfterPane.elementCountAtLeast(1)))
                .withAllowedLateness(Duration.ZERO)
                .discardingFiredPanes())
        .apply(deduplicate().verdicts())
        .apply(ParDo.of(collected));
    pipeline.run().waitUntilFinish();

    var verdicts = collected.take().stream().map(TimestampedValue::getValue).toList();
    assertThat(verdicts.size(), is(2_000));
    assertThat(
        verdicts.stream().filter(each -> each.kind() == UNIQUE).toList(),
        containsInAnyOrder(verdict(UNIQUE, click("a", 1, 0, 0), remembered("a", 1, 5))));
  }

  @ParameterizedTest
  @EnumSource
  void lateCopyOfAnUnknownKeyIsLateAndOfAKnownOneADuplicate(Runner runner) {
    var known = click("a", 1, -10, 1);
    var unknown = click("b", 1, -1, 2);
    var alsoLate = click("c", 1, -1, 3);
    var notLate = click("c", 1, 0, 4);
    MapMemory memory =
        new MapMemory().with(List.of(verdict(UNIQUE, click("a", 1, -4, 0), remembered("a", 1, 1))));

    var verdicts =
        run(
            runner,
            List.of(known, unknown, alsoLate, notLate),
            deduplicate().withMemory(memory).withWatermark(minute(0)));

    assertThat(
        verdicts,
        containsInAnyOrder(
            verdict(DUPLICATE, known),
            verdict(LATE, unknown),
            verdict(DUPLICATE, alsoLate),
            verdict(UNIQUE, notLate, remembered("c", 1, 5))));
  }

  @Covers.Row(16)
  @ParameterizedTest
  @EnumSource
  void memoryOfAMillionIdsOverAHundredWindowsReachesAPlateau(Runner runner) {
    // Row 16 of the seeds: ten batches of ten windows; a tenth of the ids comes again in the next.
    int ids = 100_000;
    MapMemory memory = new MapMemory();
    List<Integer> sizes = new ArrayList<>();
    for (int batch = 0; batch < 10; batch++) {
      Pipeline pipeline = runner.newPipeline();
      // A million elements are no place for the checks that all other tests run with.
      pipeline.getOptions().as(DirectOptions.class).setEnforceImmutability(false);
      pipeline.getOptions().as(DirectOptions.class).setEnforceEncodability(false);
      Collected<Verdict<Row>> collected = new Collected<>();
      var watermark = minute(50.0 * batch - 5);
      pipeline
          .apply(Create.of(0, 1))
          .apply("Generate", ParDo.of(new GenerateFn(batch, ids)))
          .setCoder(RowCoder.of(Clicks.SCHEMA))
          .apply(deduplicate().withMemory(memory).withWatermark(watermark).verdicts())
          .apply("Collect", ParDo.of(collected));
      pipeline.run().waitUntilFinish();
      var verdicts = collected.take().stream().map(TimestampedValue::getValue).toList();
      assertThat(
          verdicts.stream().collect(Collectors.groupingBy(Verdict::kind, Collectors.counting())),
          is(
              batch == 0
                  ? Map.of(UNIQUE, (long) ids)
                  : Map.of(UNIQUE, (long) ids, DUPLICATE, ids / 10L)));
      memory = memory.with(verdicts).sweptTo(watermark);
      sizes.add(memory.size());
    }

    // What the batch before remembers past the watermark: its last five minutes, and the batch.
    assertThat(sizes.subList(1, 10), everyItem(is(sizes.get(1))));
    assertThat(sizes.get(1), lessThan(ids * 13 / 10));
  }

  /** Gives half of a batch of 50 minutes: its ids, and again the last tenth of the one before. */
  private static final class GenerateFn extends DoFn<Integer, Row> {
    private final int batch;
    private final int ids;

    GenerateFn(int batch, int ids) {
      this.batch = batch;
      this.ids = ids;
    }

    @ProcessElement
    public void process(@Element Integer half, OutputReceiver<Row> output) {
      for (int i = half; i < ids; i += 2) {
        double time = 50.0 * batch + 50.0 * i / ids;
        output.outputWithTimestamp(row(batch + "-" + i, (long) i, i), minute(time));
        if (batch > 0 && i >= ids * 9 / 10) {
          output.outputWithTimestamp(row((batch - 1) + "-" + i, (long) i, i), minute(time - 49.0));
        }
      }
    }
  }

  private static List<Verdict.Kind> kinds(List<Verdict<Row>> verdicts) {
    return verdicts.stream().map(Verdict::kind).toList();
  }
}
