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
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestPipeline;
import org.apache.beam.sdk.testing.TestPipelineExtension;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TestPipelineExtension.class)
class ApplyChangesUnboundedTest {
  private static final Schema CHANGE =
      Schema.builder()
          .addStringField("id")
          .addStringField("op")
          .addInt64Field("seq")
          .addNullableField("a", FieldType.STRING)
          .addNullableField("b", FieldType.STRING)
          .build();

  private static Row upsert(String id, long seq, String a, String b) {
    return Row.withSchema(CHANGE).addValues(id, "upsert", seq, a, b).build();
  }

  private static Row delete(String id, long seq) {
    return Row.withSchema(CHANGE).addValues(id, "delete", seq, null, null).build();
  }

  private static ApplyChanges changes() {
    return ApplyChanges.keys("id")
        .sequenceBy("seq")
        .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
        .columnsExcept("op")
        .withRetention(Duration.standardMinutes(10))
        .withBuckets(1);
  }

  /** Each change comes alone, a second after the one before. */
  private static TestStream<Row> oneByOne(List<Row> changes) {
    TestStream.Builder<Row> stream = TestStream.create(RowCoder.of(CHANGE));
    for (int i = 0; i < changes.size(); i++) {
      stream = stream.addElements(TimestampedValue.of(changes.get(i), second(i)));
    }
    return stream.advanceWatermarkToInfinity();
  }

  private static Instant second(long second) {
    return Instant.ofEpochSecond(second);
  }

  private static String line(Row row) {
    return row.getValues().toString();
  }

  private static ApplyChanges.Result apply(
      TestPipeline pipeline, ApplyChanges changes, TestStream<Row> stream) {
    return pipeline.apply(stream).setRowSchema(CHANGE).apply(changes);
  }

  private static void assertLines(PCollection<Row> rows, String... expected) {
    PAssert.that(rows)
        .satisfies(
            found -> {
              List<String> lines = new ArrayList<>();
              found.forEach(row -> lines.add(line(row)));
              Collections.sort(lines);
              assertThat(lines, equalTo(Arrays.stream(expected).sorted().toList()));
              return null;
            });
  }

  @Test
  void onlyWhatMakesAnotherRowComesOut(TestPipeline pipeline) {
    ApplyChanges.Result result =
        apply(
            pipeline,
            changes(),
            oneByOne(
                List.of(
                    upsert("k", 5, "five", null),
                    upsert("k", 3, "stale", null),
                    upsert("k", 5, "five", null),
                    delete("k", 4),
                    delete("k", 7),
                    delete("k", 7),
                    upsert("k", 6, "late", null),
                    upsert("k", 7, "beaten by the delete", null),
                    upsert("k", 9, "nine", null),
                    delete("unknown", 1))));

    assertLines(result.rows(), "[k, 5, five, null]", "[k, 9, nine, null]");
    assertLines(result.deletes(), "[k, 7]", "[unknown, 1]");
    assertLines(result.late());
    pipeline.run();
  }

  @Test
  void columnsThatAreNotCarriedAreRemembered(TestPipeline pipeline) {
    ApplyChanges.Result result =
        apply(
            pipeline,
            changes().ignoreNullUpdates(),
            oneByOne(
                List.of(
                    upsert("k", 5, "a5", null),
                    upsert("k", 3, "stale", "b3"),
                    upsert("k", 4, null, "b4"))));

    assertLines(result.rows(), "[k, 5, a5, null]", "[k, 5, a5, b3]", "[k, 5, a5, b4]");
    pipeline.run();
  }

  @Test
  void changeOfAKeyThatMayBeForgottenIsHandedOut(TestPipeline pipeline) {
    Row first = upsert("k", 5, "five", null);
    Row stale = upsert("k", 4, "four", null);
    ApplyChanges.Result result =
        apply(
            pipeline,
            changes(),
            TestStream.create(RowCoder.of(CHANGE))
                .addElements(TimestampedValue.of(first, second(0)))
                .addElements(TimestampedValue.of(upsert("x", 1, "moves", null), second(599)))
                // Still remembered, a second before the end of its retention.
                .addElements(TimestampedValue.of(stale, second(0)))
                .addElements(TimestampedValue.of(upsert("x", 2, "moves", null), second(600)))
                .addElements(TimestampedValue.of(stale, second(0)))
                .addElements(TimestampedValue.of(upsert("k", 6, "six", null), second(1)))
                .advanceWatermarkToInfinity());

    assertLines(
        result.rows(),
        "[k, 5, five, null]",
        "[k, 6, six, null]",
        "[x, 1, moves, null]",
        "[x, 2, moves, null]");
    assertLines(result.late(), "[k, upsert, 4, four, null]");
    pipeline.run();
  }

  @Test
  void lastRowOfEveryKeyIsThatOfTheSortedLog(TestPipeline pipeline) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Row> changes = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String id = "k" + random.nextInt(6);
      changes.add(
          random.nextInt(4) == 0
              ? delete(id, 1000L * i + random.nextInt(50))
              : upsert(id, 1000L * i, "v" + i, null));
    }
    Map<String, Row> last = new HashMap<>();
    changes.stream()
        .sorted(Comparator.comparing(row -> row.getInt64("seq")))
        .forEach(row -> last.put(row.getString("id"), row));
    Collections.shuffle(changes, random);

    ApplyChanges.Result result = apply(pipeline, changes(), oneByOne(changes));

    last.values().stream()
        .filter(row -> row.getString("op").equals("upsert"))
        .forEach(
            row -> {
              String expected =
                  "[%s, %s, %s, null]"
                      .formatted(row.getString("id"), row.getInt64("seq"), row.getString("a"));
              PAssert.that("seed " + seed, result.rows())
                  .satisfies(
                      found -> {
                        Row greatest = null;
                        for (Row each : found) {
                          if (each.getString("id").equals(row.getString("id"))
                              && (greatest == null
                                  || each.getInt64("seq") > greatest.getInt64("seq"))) {
                            greatest = each;
                          }
                        }
                        assertThat(line(greatest), equalTo(expected));
                        return null;
                      });
            });
    pipeline.run();
  }

  @Test
  void whatNeedsAllChangesIsRefused(TestPipeline pipeline) {
    pipeline.enableAbandonedNodeEnforcement(false);
    var stream = pipeline.apply(oneByOne(List.of())).setRowSchema(CHANGE);
    ApplyChanges rules = ApplyChanges.keys("id").sequenceBy("seq");
    for (ApplyChanges wrong :
        List.of(
            rules,
            changes().storedAsScdType2(),
            changes().applyAsTruncateWhen(row -> false),
            changes().strict())) {
      assertThat(
          assertThrows(IllegalArgumentException.class, () -> stream.apply(wrong)).getMessage(),
          containsString("unbounded"));
    }
  }
}
