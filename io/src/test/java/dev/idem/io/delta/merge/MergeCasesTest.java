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
package dev.idem.io.delta.merge;

import static dev.idem.io.delta.merge.Arrivals.bySequence;
import static dev.idem.io.delta.merge.Arrivals.delete;
import static dev.idem.io.delta.merge.Arrivals.event;
import static dev.idem.io.delta.merge.Arrivals.history;
import static dev.idem.io.delta.merge.Arrivals.upsert;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.merge.Arrivals.Cut;
import dev.idem.testing.Covers;
import dev.idem.transforms.Runner;
import dev.idem.transforms.changes.ApplyChanges;
import dev.idem.transforms.changes.InvalidChange;
import dev.idem.transforms.changes.InvalidChange.Reason;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reports about other systems, and samples from articles, merged into Delta tables. */
class MergeCasesTest {

  private static final List<String> ROW = List.of("id", "value");

  @TempDir Path directory;

  @Covers.Case("DEV-07")
  @ParameterizedTest
  @EnumSource
  void changesOfOneTransactionAreOrderedByTheirNumberInIt(Runner runner) {
    Map<Cut, MergeCounts> counts =
        new Arrivals(directory, runner)
            .endAs(
                bySequence("seq", "rank"),
                ROW,
                List.of(
                    event(7L, "upsert", 0x2AL, 10L, "100"),
                    event(7L, "upsert", 0x2AL, 1L, "10"),
                    event(7L, "upsert", 0x2AL, 9L, "90"),
                    event(7L, "upsert", 0x2AL, 2L, "20")),
                "7, 100");

    assertThat(counts.get(Cut.ONE_BATCH), equalTo(new MergeCounts(24, 0, 24 * 3, 0, 0, 0)));
  }

  @Covers.Case("DEV-08")
  @ParameterizedTest
  @EnumSource
  void changesWithoutKeyOrSequenceAreHandedOut(Runner runner) {
    List<Row> events =
        List.of(
            event(4L, "upsert", 10L, 0L, "a"),
            event(4L, "delete", null, 0L, null),
            event(4L, "upsert", 11L, 0L, "b"),
            event(null, "upsert", 12L, 0L, "z"));
    new Arrivals(directory, runner).endAs(bySequence("seq"), ROW, events, "4, b");
    Pipeline pipeline = runner.newPipeline();

    MergeResult result =
        pipeline
            .apply(Create.of(events).withRowSchema(Arrivals.EVENT))
            .apply(
                Merging.into(directory.resolve("t"), bySequence("seq"), Arrivals.EVENT)
                    .transform()
                    .withBatch(0));

    PAssert.that(result.invalid())
        .containsInAnyOrder(
            new InvalidChange(events.get(1), Reason.NULL_SEQUENCE, "seq"),
            new InvalidChange(events.get(3), Reason.NULL_KEY, "id"));
    pipeline.run().waitUntilFinish();
  }

  @Covers.Case("DEV-08")
  @ParameterizedTest
  @EnumSource
  void strictMergeFailsWithTheCountsAndAppliesNothing(Runner runner) throws Exception {
    Merging table =
        Merging.into(directory.resolve("t"), bySequence("seq").strict(), Arrivals.EVENT);
    table.run(runner, 0, List.of(upsert(4, 1, "before")));
    List<String> files = table.files();

    Throwable failure =
        assertThrows(
            RuntimeException.class,
            () ->
                table.run(
                    runner,
                    1,
                    List.of(
                        upsert(4, 10, "a"),
                        event(4L, "delete", null, 0L, null),
                        event(null, "upsert", 12L, 0L, "z"))));

    while (failure.getCause() != null) {
      failure = failure.getCause();
    }
    assertThat(
        failure.getMessage(),
        allOf(
            containsString("1 with null key in \"id\""),
            containsString("1 with null sequence in \"seq\""),
            containsString("Nothing was applied")));
    assertThat(table.rows("run", "id", "value"), equalTo(List.of("[0, 4, before]")));
    assertThat(table.files(), equalTo(files));
  }

  @Covers.Case("DEV-09")
  @ParameterizedTest
  @EnumSource
  void repeatedDeleteAddsNothingToTheHistory(Runner runner) {
    List<Row> events =
        List.of(upsert(3, 1, "x"), delete(3, 5), delete(3, 5), delete(3, 5), upsert(3, 9, "y"));
    Arrivals arrivals = new Arrivals(directory, runner);
    Merging history = arrivals.newTable(history("run", "id", "value"));
    Merging latest = arrivals.newTable(bySequence("seq"));
    List<Integer> versions = new ArrayList<>();
    List<Integer> rows = new ArrayList<>();

    for (int batch = 0; batch < events.size(); batch++) {
      history.run(runner, batch, events.subList(batch, batch + 1));
      latest.run(runner, batch, events.subList(batch, batch + 1));
      versions.add(history.rows().size());
      rows.add(latest.rows().size());
    }

    assertThat(versions, equalTo(List.of(1, 1, 1, 1, 2)));
    assertThat(history.rows(), equalTo(List.of("[0, 3, x, 1, 5]", "[0, 3, y, 9, null]")));
    assertThat(rows, equalTo(List.of(1, 0, 0, 0, 1)));
    assertThat(latest.rows(), equalTo(List.of("[0, 3, y, 9]")));
  }

  @Covers.Case("DEV-10")
  @ParameterizedTest
  @EnumSource
  void deleteAndInsertAtOnePositionGiveOneResult(Runner runner) {
    Arrivals arrivals = new Arrivals(directory, runner);
    List<Row> events =
        List.of(
            event(5L, "upsert", 10L, 1L, "old"),
            event(5L, "delete", 20L, 1L, null),
            event(5L, "upsert", 20L, 2L, "new"));

    arrivals.endAs(bySequence("seq", "rank"), ROW, events, "5, new");
    Map<Cut, MergeCounts> byPositionAlone = arrivals.endAs(bySequence("seq"), ROW, events);
    arrivals.endAs(
        bySequence("seq"),
        ROW,
        List.of(upsert(5, 20, "left"), upsert(5, 20, "right"), upsert(5, 20, "mid")),
        "5, right");

    assertThat("one tie each", byPositionAlone.get(Cut.ONE_BATCH).ties(), is(6L));
  }

  @Covers.Case("DEV-11")
  @Covers.Row(73)
  @ParameterizedTest
  @EnumSource
  void deleteOlderThanTheRowIsIgnored(Runner runner) {
    Arrivals arrivals = new Arrivals(directory, runner);
    List<Row> events = List.of(upsert(1, 101, "12"), delete(1, 97), upsert(1, 96, "18"));

    Map<Cut, MergeCounts> counts = arrivals.endAs(bySequence("seq"), ROW, events, "1, 12");

    assertThat(counts.get(Cut.ONE_BATCH), equalTo(new MergeCounts(6, 0, 6 * 2, 0, 0, 0)));
    Merging table = arrivals.newTable(bySequence("seq"));
    long stale = 0;
    for (int batch = 0; batch < 3; batch++) {
      stale += table.run(runner, batch, events.subList(batch, batch + 1)).counts().stale();
    }
    assertThat(stale, is(2L));
    assertThat(table.rows(), equalTo(List.of("[0, 1, 12, 101]")));
  }

  @Covers.Row(9)
  @ParameterizedTest
  @EnumSource
  void sampleOfAutoCdcTranslatesOneToOne(Runner runner) {
    Schema bronze =
        Schema.builder()
            .addInt64Field("customer_id")
            .addStringField("name")
            .addInt64Field("sequence_num")
            .build();
    String customersSilver = directory.resolve("customers_silver").toString();
    Pipeline pipeline = runner.newPipeline();

    pipeline
        .apply(
            Create.of(
                    Row.withSchema(bronze).addValues(1L, "Ada", 2L).build(),
                    Row.withSchema(bronze).addValues(2L, "Bob", 1L).build(),
                    Row.withSchema(bronze).addValues(1L, "Ad", 1L).build())
                .withRowSchema(bronze))
        .apply(
            DeltaLakeIO.mergeChanges("customers_cdc_flow")
                .to(customersSilver)
                .applying(ApplyChanges.keys("customer_id").sequenceBy("sequence_num"))
                .withBatch(0));
    pipeline.run().waitUntilFinish();

    assertThat(
        Merging.into(Path.of(customersSilver), Merging.rules()).rows("customer_id", "name"),
        equalTo(List.of("[1, Ada]", "[2, Bob]")));
  }

  @Covers.Row({44, 45, 46})
  @ParameterizedTest
  @EnumSource
  void everyOrderHasItsNewestStateAndASecondRunChangesNothing(Runner runner) throws Exception {
    Schema schema =
        Schema.builder()
            .addInt32Field("order_id")
            .addStringField("customer_id")
            .addStringField("status")
            .addLogicalTypeField("amount", FixedPrecisionNumeric.of(10, 2))
            .addLogicalTypeField("event_time", new MicrosInstant())
            .build();
    String[] orders = {
      "1001 C01 paid 25.50 10:05",
      "1002 C02 placed 12.00 09:40",
      "1003 C03 placed 31.00 09:55",
      "1004 C01 placed 40.00 10:20",
      "1005 C02 placed 18.25 11:30",
      "1006 C03 placed 22.00 09:50",
      "1007 C02 placed 15.00 10:45",
      "1008 C01 placed 12.00 12:40"
    };
    List<Row> events = new ArrayList<>();
    for (String order : orders) {
      events.add(order(schema, order));
    }
    events.add(order(schema, "1001 C01 placed 25.50 09:00"));
    long seed = new Random().nextLong();
    System.out.println("MergeCasesTest: seed " + seed);
    Collections.shuffle(events, new Random(seed));
    Merging table =
        Merging.into(
            directory.resolve("orders"),
            ApplyChanges.keys("order_id").sequenceBy("event_time"),
            schema);
    List<String> expected =
        IntStream.range(0, orders.length)
            .mapToObj(i -> order(schema, orders[i]).getValues().toString())
            .toList();

    table.run(runner, 0, events);
    String[] columns = schema.getFieldNames().toArray(String[]::new);
    assertThat(table.rows(columns), equalTo(expected));
    long data = table.files().stream().filter(file -> file.endsWith(".parquet")).count();

    MergeOutcome again = table.run(runner, 1, events);
    assertThat(again.counts(), equalTo(new MergeCounts(0, 0, events.size(), 0, 0, 0)));
    assertThat(table.rows(columns), equalTo(expected));
    assertThat(table.files().stream().filter(file -> file.endsWith(".parquet")).count(), is(data));
  }

  private static Row order(Schema schema, String line) {
    String[] values = line.split(" ", -1);
    return Row.withSchema(schema)
        .addValues(
            Integer.valueOf(values[0]),
            values[1],
            values[2],
            new BigDecimal(values[3]),
            Instant.parse("2026-10-01T" + values[4] + ":00Z"))
        .build();
  }

  /** The guard by the time of the last update, and what happens where two have the same one. */
  @Covers.Row(60)
  @ParameterizedTest
  @EnumSource
  void lastUpdateGuardsARowAndEqualTimesHaveOneWinner(Runner runner) {
    Instant first = Instant.parse("2026-10-01T09:00:00Z");
    Instant second = Instant.parse("2026-10-01T09:00:01Z");
    List<Row> events =
        List.of(
            upsert(1, 0, "old", first),
            upsert(1, 0, "new", second),
            upsert(2, 0, "one", second),
            upsert(2, 0, "two", second));
    Map<Cut, MergeCounts> counts =
        new Arrivals(directory, runner).endAs(bySequence("at"), ROW, events, "1, new", "2, two");

    assertThat(counts.get(Cut.ONE_BATCH), equalTo(new MergeCounts(48, 0, 48, 24, 0, 0)));
  }
}
