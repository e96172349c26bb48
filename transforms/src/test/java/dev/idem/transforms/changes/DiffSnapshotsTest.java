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
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.transforms.Runner;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DiffSnapshotsTest {
  private static final Schema CUSTOMER =
      Schema.builder()
          .addNullableField("id", FieldType.INT64)
          .addNullableField("name", FieldType.STRING)
          .addNullableField("credit", FieldType.DECIMAL)
          .build();
  private static final Schema CHANGE =
      Schema.builder()
          .addFields(CUSTOMER.getFields())
          .addStringField("operation")
          .addInt64Field("day")
          .build();

  private static Row customer(Long id, String name, String credit) {
    return Row.withSchema(CUSTOMER)
        .addValues(id, name, credit == null ? null : new BigDecimal(credit))
        .build();
  }

  private static Row change(Row row, String operation) {
    return Row.withSchema(CHANGE).addValues(row.getValues()).addValues(operation, 7L).build();
  }

  private static PCollection<Row> snapshot(Pipeline pipeline, String name, List<Row> rows) {
    return pipeline.apply(name, Create.of(rows).withRowSchema(CUSTOMER));
  }

  private static PCollection<Row> diff(Pipeline pipeline, List<Row> before, List<Row> next) {
    return snapshot(pipeline, "Next", next)
        .apply(DiffSnapshots.keys("id").since(snapshot(pipeline, "Before", before)).as("day", 7L));
  }

  @ParameterizedTest
  @EnumSource
  void onlyWhatIsNewOrOtherOrGoneIsAChange(Runner runner) {
    Pipeline pipeline = runner.newPipeline();
    Row gone = customer(1L, "Ada", "1.0");
    Row added = customer(5L, "Eve", null);
    Row other = customer(3L, "Cy", "2");
    Row nullNow = customer(4L, null, "3");

    PCollection<Row> changes =
        diff(
            pipeline,
            List.of(
                gone, customer(2L, "Bob", "1.0"), customer(3L, "Cy", "1"), customer(4L, "", "3")),
            List.of(customer(2L, "Bob", "1.00"), other, nullNow, added, added));

    PAssert.that(changes)
        .containsInAnyOrder(
            change(gone, "DELETE"),
            change(other, "UPSERT"),
            change(nullNow, "UPSERT"),
            change(added, "UPSERT"));
    pipeline.run().waitUntilFinish();
  }

  @ParameterizedTest
  @EnumSource
  void randomSnapshotsAreReachedByTheChangesBetweenThem(Runner runner) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Map<Long, Row> before = randomSnapshot(random);
    Map<Long, Row> next = randomSnapshot(random);
    Map<Long, Row> reached = new TreeMap<>(before);
    next.forEach(reached::put);
    reached.keySet().retainAll(next.keySet());
    Pipeline pipeline = runner.newPipeline();
    // The rows there were, as changes of an earlier day.
    List<Row> all = new ArrayList<>();
    before.values().forEach(row -> all.add(earlier(change(row, "UPSERT"))));

    PCollection<Row> changes =
        diff(pipeline, List.copyOf(before.values()), List.copyOf(next.values()));
    ApplyChanges.Result applied =
        PCollectionList.of(changes)
            .and(pipeline.apply("Earlier", Create.of(all).withRowSchema(CHANGE)))
            .apply(Flatten.pCollections())
            .apply(
                ApplyChanges.keys("id")
                    .sequenceBy("day")
                    .applyAsDeleteWhen(DiffSnapshots::isDelete)
                    .columns("id", "name"));

    PAssert.that("seed " + seed, applied.rows().apply("Ids", ids()))
        .containsInAnyOrder(reached.values().stream().map(DiffSnapshotsTest::text).toList());
    pipeline.run().waitUntilFinish();
  }

  private static MapElements<Row, String> ids() {
    return MapElements.into(TypeDescriptors.strings()).via(DiffSnapshotsTest::text);
  }

  private static String text(Row row) {
    return row.getInt64("id") + " " + row.getString("name");
  }

  private static Row earlier(Row change) {
    return Row.fromRow(change).withFieldValue("day", 6L).build();
  }

  private static Map<Long, Row> randomSnapshot(Random random) {
    Map<Long, Row> rows = new TreeMap<>();
    for (int i = 0; i < 200; i++) {
      long id = random.nextInt(300);
      rows.put(id, customer(id, "name " + random.nextInt(3), null));
    }
    return rows;
  }

  @ParameterizedTest
  @EnumSource
  void keyThatIsThereTwiceFailsTheSnapshotByName(Runner runner) {
    assertFails(
        runner,
        List.of(customer(2L, "Bob", "1"), customer(2L, "Bo", "1")),
        "{id=2} with different rows");
  }

  @ParameterizedTest
  @EnumSource
  void nullKeyFailsTheSnapshot(Runner runner) {
    assertFails(
        runner, List.of(customer(null, "Bob", "1")), "\"id\" of a snapshot must not be null");
  }

  private static void assertFails(Runner runner, List<Row> next, String message) {
    Pipeline pipeline = runner.newPipeline();
    diff(pipeline, List.of(), next);

    Throwable failure =
        assertThrows(RuntimeException.class, () -> pipeline.run().waitUntilFinish());

    while (failure.getCause() != null) {
      failure = failure.getCause();
    }
    assertThat(failure.getMessage(), containsString(message));
  }

  @Test
  void whatCannotWorkIsRefusedWhenThePipelineIsBuilt() {
    Pipeline pipeline = Runner.DIRECT.newPipeline();
    PCollection<Row> rows = snapshot(pipeline, "Rows", List.of());
    for (DiffSnapshots wrong :
        List.of(
            DiffSnapshots.keys("id"),
            DiffSnapshots.keys("ID").since(rows),
            DiffSnapshots.keys("id").since(rows).as("name", 1))) {
      assertThrows(IllegalArgumentException.class, () -> rows.apply(wrong));
    }
  }
}
