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

import static dev.idem.transforms.dedup.Clicks.deduplicate;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import java.time.Clock;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.runners.spark.SparkRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineRunner;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.runners.TransformHierarchy;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.reflect.DoFnSignatures;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Sessions;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

class DeduplicateConstructionTest {
  private static final Duration MINUTE = Duration.standardMinutes(1);

  @Covers.Case({"DEV-01", "DEV-06"})
  @Test
  void windowedInputIsRefusedByTheNameOfItsWindowFunction() {
    // DEV-01 and DEV-06.
    var fixed =
        refusal(
            () ->
                input(Clicks.SCHEMA)
                    .apply(Window.into(FixedWindows.of(MINUTE)))
                    .apply(deduplicate()));
    var sessions =
        refusal(
            () ->
                stream()
                    .apply(Window.into(Sessions.withGapDuration(MINUTE)))
                    .apply(deduplicate().withDelay(MINUTE).verdicts()));

    assertThat(
        fixed,
        allOf(
            startsWith(
                "Input of DeduplicateWithinWatermark must be in the global window, but was:"
                    + " FixedWindows. "),
            containsString("window afterwards")));
    assertThat(sessions, containsString("but was: Sessions."));
  }

  @Covers.Case("DEV-05")
  @Test
  void floatingPointKeyColumnsAreRefusedByNameAtAnyDepth() {
    // DEV-05.
    Schema place = Schema.builder().addStringField("name").addDoubleField("lat").build();
    Schema schema =
        Schema.builder()
            .addStringField("id")
            .addDoubleField("amount")
            .addNullableField("ratio", FieldType.FLOAT)
            .addRowField("place", place)
            .addArrayField("sizes", FieldType.FLOAT)
            .addMapField("prices", FieldType.STRING, FieldType.row(place))
            .addMapField("steps", FieldType.DOUBLE, FieldType.STRING)
            .build();

    assertThat(
        keyRefusal(schema, "id", "amount"),
        is(
            "Key column must not hold floating-point values, but was: \"amount\". Use a decimal,"
                + " whole number or text column as key."));
    assertThat(keyRefusal(schema, "ratio"), containsString("but was: \"ratio\"."));
    assertThat(keyRefusal(schema, "place"), containsString("but was: \"place.lat\"."));
    assertThat(keyRefusal(schema, "sizes"), containsString("but was: \"sizes[]\"."));
    assertThat(keyRefusal(schema, "prices"), containsString("but was: \"prices{value}.lat\"."));
    assertThat(keyRefusal(schema, "steps"), containsString("but was: \"steps{key}\"."));
    input(schema).apply(DeduplicateWithinWatermark.rows("id").withDelay(MINUTE));
  }

  @Test
  void columnsThatDoNotExistAreRefusedByName() {
    assertThat(
        keyRefusal(Clicks.SCHEMA, "id", "idd"),
        is(
            "Key column must be one of [id, value, offset], but was: \"idd\". Name a top-level"
                + " column of the rows."));
    assertThat(
        refusal(() -> input(Clicks.SCHEMA).apply(deduplicate().withoutPayload("ofset"))),
        startsWith(
            "Column without payload must be one of [id, value, offset], but was: \"ofset\""));
    assertThat(
        refusal(() -> DeduplicateWithinWatermark.rows()),
        startsWith("Key columns must name at least one column, but was: none."));
    assertThat(
        keyRefusal(Clicks.SCHEMA, "id", "id"),
        startsWith("Encoded columns must be named once each, but was: [id, id]."));
  }

  @Test
  void numbersOutOfRangeAreRefused() {
    assertThat(
        refusal(() -> deduplicate().withShards(12)),
        is("Shards must be a power of two, but was: 12. Give 16, for example."));
    assertThat(
        refusal(() -> deduplicate().withShards(0)), containsString("power of two, but was: 0."));
    assertThat(
        refusal(() -> deduplicate().withBuckets(3)),
        startsWith("Buckets must be a power of two, but was: 3."));
    assertThat(
        refusal(() -> deduplicate().withHorizon(Duration.millis(-1))),
        is("Horizon must not be negative, but was: -1 ms. Give zero or a longer duration."));
    assertThat(
        refusal(() -> deduplicate().withDelay(Duration.millis(-2))),
        startsWith("Delay must not be negative, but was: -2 ms."));
    assertThat(
        refusal(() -> deduplicate().withMaxFutureSkew(Duration.millis(-3), Clock.systemUTC())),
        startsWith("Skew must not be negative, but was: -3 ms."));
    assertThat(
        refusal(() -> deduplicate().withMaxFutureSkew(MINUTE, new LocalClock())),
        startsWith("Clock must be serialisable, but was: "));
  }

  @Test
  void whatTheInputNeedsAndIsNotGivenIsRefused() {
    assertThat(
        refusal(() -> input(Clicks.SCHEMA).apply(DeduplicateWithinWatermark.rows("id"))),
        is("Horizon must be set, but was: not set. Call withHorizon or withDelay."));
    assertThat(
        refusal(() -> stream().apply(deduplicate())),
        is("Delay of an unbounded input must be set, but was: not set. Call withDelay."));
    PTransform<PCollection<Row>, PCollection<Verdict<Row>>> withoutRowSchema =
        DeduplicateWithinWatermark.by((Row row) -> row, "id").withDelay(MINUTE).verdicts();
    assertThat(
        refusal(() -> input(Clicks.SCHEMA).apply(withoutRowSchema)),
        startsWith("Row schema of DeduplicateWithinWatermark.by must be set, but was: not set."));
  }

  @Test
  void batchOptionsOnUnboundedInputAreRefused() {
    DeduplicateWithinWatermark<Row> deduplicate = deduplicate().withDelay(MINUTE);

    assertThat(
        refusal(() -> stream().apply(deduplicate.withWatermark(Clicks.NOON))),
        startsWith(
            "Input of DeduplicateWithinWatermark must be bounded if withWatermark is set, but was:"
                + " unbounded."));
    assertThat(
        refusal(() -> stream().apply(deduplicate.withMemory(new MapMemory()))),
        containsString("must be bounded if withMemory is set"));
  }

  @Test
  void runnerOptionDecidesWhetherTimersAreUsed() {
    assertThat(rememberFnOn(DirectRunner.class), is(RememberWithTimerFn.class));
    assertThat(rememberFnOn(SparkRunner.class), is(RememberFn.class));
  }

  private static Class<?> rememberFnOn(Class<? extends PipelineRunner<?>> runner) {
    PipelineOptions options = PipelineOptionsFactory.create();
    options.setRunner(runner);
    Pipeline pipeline = Pipeline.create(options);
    pipeline
        .apply(TestStream.create(RowCoder.of(Clicks.SCHEMA)).advanceWatermarkToInfinity())
        .apply(deduplicate().withDelay(MINUTE).verdicts());
    List<Class<?>> stateful = new ArrayList<>();
    pipeline.traverseTopologically(
        new Pipeline.PipelineVisitor.Defaults() {
          @Override
          public void visitPrimitiveTransform(TransformHierarchy.Node node) {
            if (node.getTransform() instanceof ParDo.MultiOutput<?, ?> parDo
                && DoFnSignatures.isStateful(parDo.getFn())) {
              stateful.add(parDo.getFn().getClass());
            }
          }
        });
    assertThat(stateful.size(), is(1));
    return stateful.get(0);
  }

  private static String keyRefusal(Schema schema, String... keys) {
    return refusal(
        () -> input(schema).apply(DeduplicateWithinWatermark.rows(keys).withDelay(MINUTE)));
  }

  private static String refusal(Executable construction) {
    return assertThrows(IllegalArgumentException.class, construction).getMessage();
  }

  private static PCollection<Row> input(Schema schema) {
    return Pipeline.create().apply(Create.empty(RowCoder.of(schema)));
  }

  private static PCollection<Row> stream() {
    return Pipeline.create()
        .apply(TestStream.create(RowCoder.of(Clicks.SCHEMA)).advanceWatermarkToInfinity());
  }

  /** A clock that cannot be sent to a worker. */
  private static final class LocalClock extends Clock {
    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }

    @Override
    public java.time.Instant instant() {
      return java.time.Instant.EPOCH;
    }
  }
}
