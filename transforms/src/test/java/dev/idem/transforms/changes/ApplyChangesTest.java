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
package dev.idem.transforms.changes;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.transforms.Runner;
import dev.idem.transforms.changes.InvalidChange.Reason;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.metrics.MetricNameFilter;
import org.apache.beam.sdk.metrics.MetricResult;
import org.apache.beam.sdk.metrics.MetricsFilter;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ApplyChangesTest {

  /** {@code run} tells arrival orders that are tried in one pipeline apart. */
  private static final Schema CHANGE =
      Schema.builder()
          .addInt32Field("run")
          .addNullableField("id", FieldType.INT64)
          .addStringField("op")
          .addNullableField("seq", FieldType.INT64)
          .addNullableField("rank", FieldType.INT64)
          .addNullableField("value", FieldType.STRING)
          .build();

  private static Row change(Long id, String op, Long seq, Long rank, String value) {
    return Row.withSchema(CHANGE).addValues(0, id, op, seq, rank, value).build();
  }

  private static Row upsert(long id, long seq, String value) {
    return change(id, "upsert", seq, 0L, value);
  }

  private static Row delete(long id, long seq) {
    return change(id, "delete", seq, 0L, null);
  }

  private static ApplyChanges bySequence(String... columns) {
    return ApplyChanges.keys("run", "id")
        .sequenceBy(columns)
        .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
        .applyAsTruncateWhen(row -> "truncate".equals(row.getString("op")))
        .columns("run", "id", "value");
  }

  private static ApplyChanges history() {
    return ApplyChanges.keys("run", "id")
        .sequenceBy("seq")
        .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
        .columns("run", "id", "value")
        .storedAsScdType2();
  }

  /** Returns all orders of the changes, each a run of its own. */
  private static List<Row> allOrders(Row... changes) {
    return ArrivalOrders.of(changes).stream().flatMap(List::stream).toList();
  }

  private static List<String> inEachOf(int runs, String... lines) {
    List<String> all = new ArrayList<>();
    for (int run = 0; run < runs; run++) {
      for (String line : lines) {
        all.add(run + " " + line);
      }
    }
    return all;
  }

  private static String line(Row row) {
    return row.getValues().stream().map(String::valueOf).collect(Collectors.joining(" "));
  }

  private static PipelineResult check(
      Runner runner, ApplyChanges transform, List<Row> changes, List<String> expected) {
    Pipeline pipeline = runner.newPipeline();
    ApplyChanges.Result result =
        pipeline.apply(Create.of(changes).withRowSchema(CHANGE)).apply(transform);
    PAssert.that(result.rows())
        .satisfies(
            rows -> {
              List<String> lines = new ArrayList<>();
              rows.forEach(row -> lines.add(line(row)));
              assertThat(
                  lines.stream().sorted().toList(), equalTo(expected.stream().sorted().toList()));
              return null;
            });
    PipelineResult run = pipeline.run();
    run.waitUntilFinish();
    return run;
  }

  private static long counted(PipelineResult run, String name) {
    long sum = 0;
    for (MetricResult<Long> counter :
        run.metrics()
            .queryMetrics(
                MetricsFilter.builder()
                    .addNameFilter(MetricNameFilter.named(ApplyChanges.class, name))
                    .build())
            .getCounters()) {
      sum += counter.getAttempted();
    }
    return sum;
  }

  @Covers.Case("DEV-07")
  @ParameterizedTest
  @EnumSource
  void changesOfOneTransactionAreOrderedByTheirNumberInIt(Runner runner) {
    List<Row> orders =
        allOrders(
            change(7L, "upsert", 0x2AL, 10L, "100"),
            change(7L, "upsert", 0x2AL, 1L, "10"),
            change(7L, "upsert", 0x2AL, 9L, "90"),
            change(7L, "upsert", 0x2AL, 2L, "20"));

    PipelineResult run = check(runner, bySequence("seq", "rank"), orders, inEachOf(24, "7 100"));

    assertThat(counted(run, "ties"), is(0L));
    assertThat(counted(run, "stale"), is(24 * 3L));
  }

  @Covers.Case("DEV-08")
  @ParameterizedTest
  @EnumSource
  void changesWithoutKeyOrSequenceAreHandedOut(Runner runner) {
    List<Row> orders =
        allOrders(
            change(4L, "upsert", 10L, 0L, "a"),
            change(4L, "delete", null, 0L, null),
            change(4L, "upsert", 11L, 0L, "b"),
            change(null, "upsert", 12L, 0L, "z"));
    Pipeline pipeline = runner.newPipeline();

    ApplyChanges.Result result =
        pipeline.apply(Create.of(orders).withRowSchema(CHANGE)).apply(bySequence("seq"));

    PAssert.that(result.rows())
        .satisfies(
            rows -> {
              Set<String> lines = new TreeSet<>();
              rows.forEach(row -> lines.add(line(row)));
              assertThat(lines, equalTo(new TreeSet<>(inEachOf(24, "4 b"))));
              return null;
            });
    PAssert.that(result.invalid())
        .containsInAnyOrder(
            orders.stream()
                .filter(row -> row.getValue("id") == null || row.getValue("seq") == null)
                .map(
                    row ->
                        row.getValue("id") == null
                            ? new InvalidChange(row, Reason.NULL_KEY, "id")
                            : new InvalidChange(row, Reason.NULL_SEQUENCE, "seq"))
                .toList());
    pipeline.run().waitUntilFinish();
  }

  @Covers.Case("DEV-08")
  @ParameterizedTest
  @EnumSource
  void strictFailsWithTheCountsOfAllInvalidChanges(Runner runner) {
    Pipeline pipeline = runner.newPipeline();
    pipeline
        .apply(
            Create.of(
                    change(4L, "upsert", 10L, 0L, "a"),
                    change(4L, "delete", null, 0L, null),
                    change(null, "upsert", 12L, 0L, "z"))
                .withRowSchema(CHANGE))
        .apply(bySequence("seq").strict());

    Throwable failure =
        assertThrows(RuntimeException.class, () -> pipeline.run().waitUntilFinish());

    while (failure.getCause() != null) {
      failure = failure.getCause();
    }
    assertThat(
        failure.getMessage(),
        allOf(
            containsString("1 with null key in \"id\""),
            containsString("1 with null sequence in \"seq\""),
            containsString("Nothing was applied")));
  }

  @Covers.Case("DEV-09")
  @ParameterizedTest
  @EnumSource
  void repeatedDeleteAddsNothingToTheHistory(Runner runner) {
    PipelineResult run =
        check(
            runner,
            history(),
            allOrders(upsert(3, 1, "x"), delete(3, 5), delete(3, 5), upsert(3, 9, "y")),
            inEachOf(24, "3 x 1 5", "3 y 9 null"));

    assertThat("the delete that came again", counted(run, "stale"), is(24L));
    assertThat(counted(run, "ties"), is(0L));
  }

  @Covers.Case("DEV-10")
  @ParameterizedTest
  @EnumSource
  void deleteAndInsertAtOnePositionAreToldApartByTheirRank(Runner runner) {
    List<Row> orders =
        allOrders(
            change(5L, "upsert", 10L, 1L, "old"),
            change(5L, "delete", 20L, 1L, null),
            change(5L, "upsert", 20L, 2L, "new"));

    check(runner, bySequence("seq", "rank"), orders, inEachOf(6, "5 new"));
    PipelineResult byPositionAlone = check(runner, bySequence("seq"), orders, List.of());

    assertThat("one tie each", counted(byPositionAlone, "ties"), is(6L));
  }

  @Covers.Case("DEV-10")
  @ParameterizedTest
  @EnumSource
  void ofTwoUpsertsAtOneSequenceTheGreaterEncodingWins(Runner runner) {
    check(
        runner,
        bySequence("seq"),
        allOrders(upsert(5, 20, "left"), upsert(5, 20, "right"), upsert(5, 20, "mid")),
        inEachOf(6, "5 right"));
  }

  @Covers.Case("DEV-11")
  @ParameterizedTest
  @EnumSource
  void deleteOlderThanTheRowIsIgnored(Runner runner) {
    PipelineResult run =
        check(
            runner,
            bySequence("seq"),
            allOrders(upsert(1, 101, "12"), delete(1, 97), upsert(1, 96, "18")),
            inEachOf(6, "1 12"));

    assertThat(counted(run, "stale"), is(6 * 2L));
  }

  @ParameterizedTest
  @EnumSource
  void truncateIsADeleteOfEveryKeyBeforeIt(Runner runner) {
    List<Row> changes =
        new ArrayList<>(
            List.of(
                upsert(1, 1, "gone"),
                upsert(2, 4, "gone"),
                upsert(2, 6, "kept"),
                upsert(3, 5, "gone at the same sequence"),
                change(null, "truncate", 5L, 0L, null),
                change(null, "truncate", 3L, 0L, null)));
    Collections.shuffle(changes, new Random(7));

    check(runner, bySequence("seq"), changes, List.of("0 2 kept"));
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
    Pipeline pipeline = runner.newPipeline();

    ApplyChanges.Result customers =
        pipeline
            .apply(
                Create.of(
                        Row.withSchema(bronze).addValues(1L, "Ada", 2L).build(),
                        Row.withSchema(bronze).addValues(2L, "Bob", 1L).build(),
                        Row.withSchema(bronze).addValues(1L, "Ad", 1L).build())
                    .withRowSchema(bronze))
            .apply(ApplyChanges.keys("customer_id").sequenceBy("sequence_num"));

    PAssert.that(customers.rows())
        .containsInAnyOrder(
            Row.withSchema(bronze).addValues(1L, "Ada", 2L).build(),
            Row.withSchema(bronze).addValues(2L, "Bob", 1L).build());
    pipeline.run().waitUntilFinish();
  }

  @Covers.Row({44, 46})
  @ParameterizedTest
  @EnumSource
  void everyOrderHasItsNewestStateWhateverOrderEventsComeIn(Runner runner) {
    Schema orders =
        Schema.builder()
            .addInt32Field("order_id")
            .addStringField("status")
            .addDecimalField("amount")
            .addLogicalTypeField("event_time", new MicrosInstant())
            .build();
    List<Row> events = new ArrayList<>();
    List<Row> expected = new ArrayList<>();
    String[] times = {"09:00", "09:40", "09:55", "10:20", "11:30", "09:50", "10:45", "12:40"};
    String[] amounts = {"25.50", "12.00", "31.00", "40.00", "18.25", "22.00", "15.00", "12.00"};
    for (int i = 0; i < times.length; i++) {
      events.add(order(orders, 1001 + i, "placed", amounts[i], times[i]));
      expected.add(i == 0 ? order(orders, 1001, "paid", "25.50", "10:05") : events.get(i));
    }
    events.add(expected.get(0));
    Collections.shuffle(events, new Random(3));
    Pipeline pipeline = runner.newPipeline();

    ApplyChanges.Result latest =
        pipeline
            .apply(Create.of(events).withRowSchema(orders))
            .apply(ApplyChanges.keys("order_id").sequenceBy("event_time"));

    PAssert.that(latest.rows()).containsInAnyOrder(expected);
    pipeline.run().waitUntilFinish();
  }

  private static Row order(Schema schema, int id, String status, String amount, String time) {
    return Row.withSchema(schema)
        .addValues(id, status, new BigDecimal(amount), Instant.parse("2026-10-01T" + time + ":00Z"))
        .build();
  }

  @Covers.Row(8)
  @ParameterizedTest
  @EnumSource
  void randomLogsEndAsTheSortedLogDoes(Runner runner) {
    long seed = new Random().nextLong();
    for (RandomLog.Rules rules : RandomLog.Rules.values()) {
      for (int variant = 0; variant < 4; variant++) {
        List<RandomLog> logs = logs(seed, rules, variant);
        // A truncate would reach the other logs of the pipeline.
        Pipeline pipeline = runner.newPipeline();
        List<Row> changes = new ArrayList<>();
        Set<String> expected = new TreeSet<>();
        for (RandomLog log : logs) {
          log.events.removeIf(event -> event.op() == RandomLog.Op.TRUNCATE);
          log.events.forEach(event -> changes.add(log.row(event)));
          expected.addAll(log.expected());
        }
        Collections.shuffle(changes, new Random(seed));
        boolean history = rules.history();
        ApplyChanges.Result result =
            pipeline
                .apply(Create.of(changes).withRowSchema(RandomLog.SCHEMA))
                .apply(rules.transform(variant));
        String which = "seed " + seed + " " + rules + " " + variant;
        PAssert.that(result.rows())
            .satisfies(
                rows -> {
                  Set<String> lines = new TreeSet<>();
                  rows.forEach(row -> lines.add(RandomLog.line(row, history)));
                  assertThat(which, lines, equalTo(expected));
                  return null;
                });
        pipeline.run().waitUntilFinish();
      }
    }
  }

  private static List<RandomLog> logs(long seed, RandomLog.Rules rules, int variant) {
    List<RandomLog> logs = new ArrayList<>();
    for (int number = 0; logs.size() < 4; number++) {
      RandomLog log = new RandomLog(seed, number);
      if (log.rules == rules && log.variant == variant) {
        logs.add(log);
      }
    }
    return logs;
  }

  @Test
  void rulesThatDoNotFitTheSchemaAreRefusedByColumn() {
    for (ApplyChanges wrong :
        Arrays.asList(
            ApplyChanges.keys("id"),
            ApplyChanges.keys("ID").sequenceBy("seq"),
            ApplyChanges.keys("id").sequenceBy("sequence"),
            ApplyChanges.keys("id").sequenceBy("seq").columnsExcept("id"),
            ApplyChanges.keys("id").sequenceBy("seq").columns("run", "values"),
            ApplyChanges.keys("id").sequenceBy("seq").columnsToUpdate("value"),
            ApplyChanges.keys("id").sequenceBy("seq").trackHistoryOn("value"),
            ApplyChanges.keys("id")
                .sequenceBy("seq")
                .storedAsScdType2()
                .applyAsTruncateWhen(row -> false))) {
      assertThrows(IllegalArgumentException.class, () -> wrong.layout(CHANGE));
    }
  }
}
