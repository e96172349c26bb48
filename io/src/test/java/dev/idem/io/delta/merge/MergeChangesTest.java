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

import static dev.idem.io.delta.merge.Merging.delete;
import static dev.idem.io.delta.merge.Merging.foreign;
import static dev.idem.io.delta.merge.Merging.truncate;
import static dev.idem.io.delta.merge.Merging.upsert;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.error.ContentChangedException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.maintenance.CleanSpec;
import dev.idem.io.delta.maintenance.TableMaintenance;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.delta.table.Tables;
import dev.idem.testing.Covers;
import dev.idem.transforms.Runner;
import dev.idem.transforms.changes.ApplyChanges;
import java.io.IOException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.schemas.logicaltypes.UuidLogicalType;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class MergeChangesTest {

  private static final List<Row> FIRST =
      List.of(upsert(1, "one", 10), upsert(2, "two", 10), upsert(3, "three", 10));
  private static final List<Row> SECOND =
      List.of(upsert(1, "new", 20), delete(2, 20), delete(4, 20), upsert(3, "old", 5));

  @TempDir Path directory;

  private Merging table(MergeMode mode) {
    return Merging.into(directory.resolve("t"), Merging.rules()).with(mode);
  }

  private static Throwable root(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null && cause.getMessage().contains(cause.getCause().toString())) {
      cause = cause.getCause();
    }
    return cause;
  }

  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void replayWritesNothing(MergeMode mode) throws IOException {
    Merging table = table(mode);
    table.run(0, FIRST);
    MergeOutcome first = table.run(1, SECOND);
    List<String> files = table.files();

    MergeOutcome again = table.run(1, SECOND);

    assertThat(first.counts(), equalTo(new MergeCounts(1, 1, 1, 0, 0, 0)));
    assertThat(again.alreadyCommitted(), is(true));
    assertThat(again.version(), is(first.version()));
    assertThat(again.counts(), equalTo(MergeCounts.NONE));
    assertThat(table.files(), equalTo(files));
    assertThat(table.rows(), contains("[1, new, null, 20]", "[3, three, null, 10]"));
    assertThat(
        table.beside(), contains("[2, 20, true, app/main, 1]", "[4, 20, true, app/main, 1]"));
  }

  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void batchOfStaleChangesIsRecordedAndAddsNoFile(MergeMode mode) throws IOException {
    Merging table = table(mode);
    table.run(0, FIRST);
    table.run(1, SECOND);
    List<String> files = table.files();
    List<String> data = table.dataFiles();
    long version = table.version();
    List<Row> stale =
        List.of(upsert(1, "old", 10), delete(2, 19), delete(2, 20), upsert(4, "old", 20));

    MergeOutcome outcome = table.run(2, stale);

    assertThat(outcome.counts(), equalTo(new MergeCounts(0, 0, 4, 0, 0, 0)));
    assertThat(outcome.version(), is(version + 1));
    assertThat(table.dataFiles(), equalTo(data));
    List<String> added = new ArrayList<>(table.files());
    added.removeAll(files);
    assertThat("the log entry, and the record", added, hasSize(2));
    List<String> entry =
        Files.readAllLines(
            table.table.resolve("_delta_log/%020d.json".formatted(outcome.version())));
    assertThat(
        entry.stream()
            .filter(line -> line.startsWith("{\"add\"") || line.startsWith("{\"remove\""))
            .toList(),
        empty());
    assertThat(table.run(2, stale).alreadyCommitted(), is(true));
    assertThat(table.version(), is(version + 1));
  }

  /** A crash between the commit of the table beside and that of the table. */
  @Covers.Row(38)
  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void batchThatWasCommittedBesideOnlyIsHealedByItsReplay(MergeMode mode) throws IOException {
    Merging table = table(mode);
    table.run(0, FIRST);
    table.merge(1, SECOND).commitBeside();
    List<String> beside = table.beside();
    assertThat(
        table.rows(), contains("[1, one, null, 10]", "[2, two, null, 10]", "[3, three, null, 10]"));
    assertThat(beside, contains("[2, 20, true, app/main, 1]", "[4, 20, true, app/main, 1]"));

    MergeOutcome healed = table.run(1, SECOND);

    assertThat(healed.alreadyCommitted(), is(false));
    assertThat(
        "as of the first attempt", healed.counts(), equalTo(new MergeCounts(1, 1, 1, 0, 0, 0)));
    assertThat(table.rows(), contains("[1, new, null, 20]", "[3, three, null, 10]"));
    assertThat(table.beside(), equalTo(beside));
    table.run(2, List.of(upsert(2, "late", 15), upsert(4, "late", 15)));
    assertThat(table.rows(), contains("[1, new, null, 20]", "[3, three, null, 10]"));
  }

  /**
   * What was deleted beside counts for others at once, and for the batch itself when it is done.
   */
  @Test
  void anotherApplicationMergesBetweenCrashAndReplay() throws IOException {
    Merging table = table(MergeMode.MERGE_ON_READ);
    table.run(0, FIRST);
    table.merge(1, SECOND).commitBeside();

    table.by("other").run(0, List.of(upsert(2, "between", 15), upsert(4, "between", 25)));
    table.run(1, SECOND);

    assertThat(
        table.rows(),
        contains("[1, new, null, 20]", "[3, three, null, 10]", "[4, between, null, 25]"));
  }

  @Test
  void whatKilledMergesLeaveIsCleanedWhenItIsOld() throws IOException {
    Merging table = table(MergeMode.COPY_ON_WRITE);
    table.run(0, FIRST);
    List<String> files = table.files();
    table.merge(1, SECOND);
    List<String> left = new ArrayList<>(table.files());
    left.removeAll(files);
    left.removeIf(file -> file.startsWith(table.table + BesideTable.SUFFIX));
    Clock later = Clock.offset(Clock.systemUTC(), java.time.Duration.ofDays(2));
    CleanSpec day = CleanSpec.olderThan(java.time.Duration.ofDays(1));

    assertThat(clean(table, Clock.systemUTC(), day), empty());
    assertThat(
        clean(table, later, day).stream()
            .map(file -> table.table.resolve(file).toString())
            .toList(),
        equalTo(left));
    assertThat(
        "changes, found rows and a plan",
        left.stream().filter(file -> file.contains("/_idem/merge/")).toList(),
        hasSize(greaterThanOrEqualTo(3)));

    table.run(1, SECOND);
    assertThat(table.rows(), contains("[1, new, null, 20]", "[3, three, null, 10]"));
  }

  private static List<String> clean(Merging table, Clock clock, CleanSpec spec) {
    return TableMaintenance.at(table.table.toString(), Map.of(), clock).clean(spec).files();
  }

  @Test
  void truncateTakesAwayWhatIsBeforeItAndComesToo() throws IOException {
    Merging table = table(MergeMode.COPY_ON_WRITE);
    table.run(0, FIRST);
    table.append(foreign(9, "foreign"));

    table.run(1, List.of(truncate(15), upsert(2, "after", 16)));
    table.run(2, List.of(upsert(1, "late", 14), upsert(5, "late", 15), upsert(6, "new", 16)));

    assertThat(table.rows(), contains("[2, after, null, 16]", "[6, new, null, 16]"));
  }

  /** A source that keeps no offsets sends again whatever it likes. */
  @Covers.Row(21)
  @ParameterizedTest
  @EnumSource
  void sourceWithoutOffsetsConverges(Runner runner) {
    Merging table = table(MergeMode.MERGE_ON_READ);
    List<Row> log = new ArrayList<>(FIRST);
    log.addAll(SECOND);

    table.run(runner, 0, log.subList(0, 5));
    table.run(runner, 1, log.subList(2, 7));
    table.run(runner, 2, log);

    assertThat(table.rows(), contains("[1, new, null, 20]", "[3, three, null, 10]"));
  }

  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void rowMovesToThePartitionOfItsNewValue(MergeMode mode) {
    Merging table = table(mode).with(merge -> merge.withPartitionColumns("value"));
    table.run(0, FIRST);
    table.run(1, List.of(upsert(1, "two", 20), delete(3, 20)));

    assertThat(table.rows(), contains("[1, two, null, 20]", "[2, two, null, 10]"));
    table.run(2, List.of(upsert(1, null, 30), upsert(2, "two", 30)));
    assertThat(table.rows(), contains("[1, null, null, 30]", "[2, two, null, 30]"));
  }

  /** In each of these columns values lie in other files than those that are asked for. */
  @Test
  void keysOfAllTypesAreFoundAgain() {
    Schema schema =
        Schema.builder()
            .addStringField("text")
            .addLogicalTypeField("uuid", new UuidLogicalType())
            .addByteField("byte")
            .addInt16Field("short")
            .addInt32Field("int")
            .addInt64Field("long")
            .addLogicalTypeField("decimal", FixedPrecisionNumeric.of(20, 5))
            .addLogicalTypeField("date", SqlTypes.DATE)
            .addLogicalTypeField("micros", new MicrosInstant())
            .addLogicalTypeField("local", SqlTypes.DATETIME)
            .addField("millis", FieldType.DATETIME)
            .addByteArrayField("bytes")
            .addBooleanField("flag")
            .addStringField("value")
            .addLogicalTypeField("seq", FixedPrecisionNumeric.of(20, 5))
            .addStringField("op")
            .build();
    List<String> keys = schema.getFieldNames().subList(0, 13);
    ApplyChanges rules =
        ApplyChanges.keys(keys.toArray(String[]::new))
            .sequenceBy("seq")
            .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
            .columnsExcept("seq", "op")
            .withShards(1);
    Merging table =
        Merging.into(directory.resolve("t"), rules, schema).with(MergeMode.MERGE_ON_READ);
    // Apart from each other by more than statistics keep of a text.
    String longText = "\u00e4".repeat(40);
    List<List<Object>> values =
        List.of(
            key(longText + "a", 1, -128, "-1.5", "1969-12-31T23:59:59.5"),
            key(longText + "\uD83D\uDE00", 2, -1, "-0.00001", "1970-01-01T00:00:00.000001"),
            key("", 3, 0, "0", "1582-10-15T00:00:00"),
            key("b", 4, 127, "123456789012345.12345", "2026-10-01T10:00:00.123"));
    for (int i = 0; i < values.size(); i++) {
      table.run(i, List.of(change(schema, values.get(i), "v" + i, "1.50000", "upsert")));
    }

    table.run(
        4,
        List.of(
            change(schema, values.get(0), "new", "1.50001", "upsert"),
            change(schema, values.get(1), "old", "-2", "upsert"),
            change(schema, values.get(2), null, "10", "delete")));
    table.run(5, List.of(change(schema, values.get(3), "last", "2", "upsert")));

    assertThat(table.rows("long", "value"), contains("[-1, v1]", "[-128, new]", "[127, last]"));
  }

  private static List<Object> key(String text, int uuid, int number, String decimal, String local) {
    LocalDateTime time = LocalDateTime.parse(local);
    return List.of(
        text,
        new UUID(number, uuid),
        (byte) number,
        (short) number,
        number,
        (long) number,
        new BigDecimal(decimal).setScale(5),
        time.toLocalDate(),
        Instant.parse(local + "Z"),
        time,
        org.joda.time.Instant.ofEpochMilli(Instant.parse(local + "Z").toEpochMilli()),
        text.getBytes(StandardCharsets.UTF_8),
        number > 0);
  }

  private static Row change(
      Schema schema, List<Object> key, String value, String sequence, String op) {
    return Row.withSchema(schema)
        .addValues(key)
        .addValues(value == null ? "" : value, new BigDecimal(sequence).setScale(5), op)
        .build();
  }

  @Test
  void tableWithMappedColumnsIsMergedInto() throws IOException {
    Merging table = table(MergeMode.AS_TABLE);
    Tables.table(table.table)
        .prepare(
            DeltaSchemas.toJson(Merging.FOREIGN),
            List.of(),
            Map.of("delta.columnMapping.mode", "name"));
    table.append(foreign(1, "foreign"), foreign(2, "foreign"));

    table.run(0, FIRST.subList(1, 3));
    table.run(1, SECOND);

    assertThat(table.rows(), contains("[1, new, null, 20]", "[3, three, null, 10]"));
  }

  @Test
  void markedRowsNeedTheProperty() {
    table(MergeMode.COPY_ON_WRITE).run(0, FIRST);

    Throwable failure =
        assertThrows(RuntimeException.class, () -> table(MergeMode.MERGE_ON_READ).run(1, SECOND));

    assertThat(
        root(failure).getMessage(),
        containsString(
            "Table must have \"delta.enableDeletionVectors\" for a merge on read, but has not"));
    assertThat(table(MergeMode.AS_TABLE).run(1, SECOND).alreadyCommitted(), is(false));
  }

  @Test
  void tableThatLetsNoRowsLeaveIsRefusedBeforeAnythingIsWritten() throws IOException {
    for (String property : List.of("delta.appendOnly", "delta.enableChangeDataFeed")) {
      Merging table = Merging.into(directory.resolve(property), Merging.rules());
      Tables.table(table.table)
          .prepare(DeltaSchemas.toJson(Merging.FOREIGN), List.of(), Map.of(property, "true"));
      List<String> files = table.files();

      var e = assertThrows(UnusableTableException.class, () -> table.run(0, SECOND));

      assertThat(e.getMessage(), containsString(property));
      assertThat(table.files(), equalTo(files));
    }
  }

  @Test
  void columnsOfTableAndChangesMustBeTheSame() throws IOException {
    Merging table = table(MergeMode.AS_TABLE);
    table.append(foreign(1, "foreign"));
    Merging fewer =
        Merging.into(table.table, ApplyChanges.keys("id").sequenceBy("seq").columns("id", "value"));
    Merging more = Merging.into(table.table, ApplyChanges.keys("id").sequenceBy("seq"));

    var lost = assertThrows(SchemaMismatchException.class, () -> fewer.run(0, FIRST));
    var unknown = assertThrows(SchemaMismatchException.class, () -> more.run(0, FIRST));

    assertThat(
        lost.getMessage(),
        containsString(
            "must have the columns of the changes and no others, but has: \"other\". Rows that are"
                + " merged would lose it; add it to the changes, or drop it."));
    assertThat(
        unknown.getMessage(),
        containsString(
            "must have the columns of the changes, but has not: \"seq\". Leave it out with"
                + " columnsExcept, or let the merge add it with evolving."));
    more.with(merge -> merge.evolving(SchemaEvolution.ADD)).run(0, FIRST.subList(1, 2));
    assertThat(table.rows("id", "seq", "op"), contains("[1, null, null]", "[2, 10, upsert]"));
  }

  @Test
  void batchIdStandsForOneBatch() {
    Merging table = table(MergeMode.AS_TABLE);
    table.run(0, FIRST);

    Throwable other = assertThrows(RuntimeException.class, () -> table.run(0, SECOND));
    assertThat(root(other).getMessage(), containsString("another plan"));

    Merging planned = table.with(merge -> merge.withSink("planned"));
    Pipeline first = Runner.DIRECT.newPipeline();
    first
        .apply(Create.of(FIRST).withRowSchema(Merging.CHANGE))
        .apply(planned.transform().withBatch(0, "offsets 0 to 3"));
    first.run().waitUntilFinish();
    Pipeline changed = Runner.DIRECT.newPipeline();
    changed
        .apply(Create.of(SECOND).withRowSchema(Merging.CHANGE))
        .apply(planned.transform().withBatch(0, "offsets 0 to 3"));
    Throwable content = assertThrows(RuntimeException.class, () -> changed.run().waitUntilFinish());
    assertThat(root(content), instanceOf(ContentChangedException.class));
    assertThat(
        table.rows(), contains("[1, one, null, 10]", "[2, two, null, 10]", "[3, three, null, 10]"));
  }

  @Test
  void inputMustBeBoundedAndNotInWindows() {
    MergeChanges merge = table(MergeMode.AS_TABLE).transform().withBatch(0);
    Pipeline pipeline = Runner.DIRECT.newPipeline();
    PCollection<Row> unbounded =
        pipeline
            .apply(GenerateSequence.from(0))
            .apply(MapElements.into(TypeDescriptors.rows()).via(n -> upsert(n, "one", n)))
            .setRowSchema(Merging.CHANGE);
    PCollection<Row> windowed =
        pipeline
            .apply(Create.of(FIRST).withRowSchema(Merging.CHANGE))
            .apply(Window.into(FixedWindows.of(Duration.standardMinutes(1))));

    var one = assertThrows(IllegalArgumentException.class, () -> unbounded.apply("A", merge));
    var two = assertThrows(IllegalArgumentException.class, () -> windowed.apply("B", merge));

    assertThat(
        one.getMessage(),
        is(
            "Input of a merge into Delta must be bounded, but was: UNBOUNDED. Run the pipeline in"
                + " batches."));
    assertThat(
        two.getMessage(),
        is(
            "Input of a merge into Delta must be in the global window, but was: FixedWindows. Apply"
                + " Window.into(new GlobalWindows()) first."));
  }

  /** A write without a guard has it in its name, and a merge has keys and a sequence. */
  @Covers.Row(10)
  @Test
  void nothingIsInsertedWithoutAGuardUnlessTheNameSaysSo() {
    assertThat(
        Stream.of(DeltaLakeIO.class.getDeclaredMethods())
            .map(Method::getName)
            .filter(name -> !name.startsWith("read") && !name.startsWith("lambda"))
            .sorted()
            .toList(),
        contains("mergeChanges", "writeAtLeastOnce", "writeExactlyOnce"));
    assertThrows(IllegalArgumentException.class, () -> ApplyChanges.keys());
    Merging unordered = Merging.into(directory.resolve("t"), ApplyChanges.keys("id"));
    var e = assertThrows(IllegalArgumentException.class, () -> unordered.run(0, FIRST));
    assertThat(e.getMessage(), containsString("sequenceBy"));
    assertThat(Files.exists(directory.resolve("t")), is(false));
  }
}
