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
package dev.idem.io.delta;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.error.ContentChangedException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.io.delta.table.TableState;
import dev.idem.io.delta.table.Tables;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.runners.spark.SparkContextOptions;
import org.apache.beam.runners.spark.SparkRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.transforms.Wait;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.joda.time.Duration;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class DeltaLakeIOTest {

  private static final Schema ORDERS = DeltaSchemas.parse(Tables.ORDERS);
  private static JavaSparkContext spark;

  @TempDir Path directory;

  enum Runner {
    DIRECT,
    SPARK
  }

  @BeforeAll
  static void startSpark() {
    spark =
        new JavaSparkContext(
            new SparkConf()
                .setMaster("local[2]")
                .setAppName("delta")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.driver.host", "127.0.0.1"));
  }

  @AfterAll
  static void stopSpark() {
    spark.stop();
  }

  private static Pipeline pipeline(Runner runner) {
    if (runner == Runner.DIRECT) {
      PipelineOptions options = PipelineOptionsFactory.create();
      options.setRunner(DirectRunner.class);
      return Pipeline.create(options);
    }
    SparkContextOptions options = PipelineOptionsFactory.as(SparkContextOptions.class);
    options.setRunner(SparkRunner.class);
    options.setUsesProvidedSparkContext(true);
    options.setProvidedSparkContext(spark);
    return Pipeline.create(options);
  }

  private static PCollection<Row> rows(Pipeline pipeline, String... names) {
    List<Row> rows = Arrays.stream(names).map(n -> Tables.order(n.hashCode(), n)).toList();
    return pipeline.apply(Create.of(rows).withRowSchema(ORDERS));
  }

  private WriteExactlyOnce orders(long batch) {
    return DeltaLakeIO.writeExactlyOnce("orders")
        .to(directory.toString())
        .withBatch(batch, "p" + batch);
  }

  private void run(Runner runner, WriteExactlyOnce write, String... names) {
    Pipeline pipeline = pipeline(runner);
    rows(pipeline, names).apply(write);
    pipeline.run().waitUntilFinish();
  }

  private List<String> names() {
    return Tables.names(directory);
  }

  @ParameterizedTest
  @EnumSource
  void batchesArriveOnceHoweverOftenTheyRun(Runner runner) throws IOException {
    run(runner, orders(0), "a", "b", "c");
    run(runner, orders(1), "d");
    run(runner, orders(1), "d");
    run(runner, orders(0), "c", "b", "a");

    assertThat(names(), containsInAnyOrder("a", "b", "c", "d"));
    assertThat(Tables.entries(directory), hasSize(3));
    assertThat(Tables.dataFiles(directory).size(), is(Tables.table(directory).files().size()));
  }

  @Test
  void tableThatForgetsBatchIdsIsTakenOnlyByChoice() throws IOException {
    run(Runner.DIRECT, orders(0), "a");
    String metadata =
        Files.readAllLines(Tables.entry(directory, 0)).stream()
            .filter(line -> line.startsWith("{\"metaData\""))
            .findFirst()
            .orElseThrow();
    Files.writeString(
        Tables.entry(directory, 2),
        metadata.replace(
            "\"configuration\":{",
            "\"configuration\":{\"delta.setTransactionRetentionDuration\":\"interval 30 days\""));

    run(Runner.DIRECT, orders(1).acceptTransactionRetention(Duration.standardDays(30)), "b");
    Exception refused = assertThrows(Exception.class, () -> run(Runner.DIRECT, orders(2), "c"));
    Exception shorter =
        assertThrows(
            Exception.class,
            () ->
                run(
                    Runner.DIRECT,
                    orders(2).acceptTransactionRetention(Duration.standardDays(31)),
                    "c"));

    assertThat(names(), containsInAnyOrder("a", "b"));
    assertThat(String.valueOf(refused.getMessage()), containsString("for ever"));
    assertThat(String.valueOf(shorter.getMessage()), containsString("for PT744H or longer"));
  }

  @ParameterizedTest
  @EnumSource
  void emptyBatchIsRecorded(Runner runner) throws IOException {
    run(runner, orders(0));

    assertThat(
        Tables.table(directory).record("orders/main").map(DeltaRecord::batch), is(Optional.of(0L)));
    assertThat(Tables.dataFiles(directory), empty());
  }

  @ParameterizedTest
  @EnumSource
  void outcomeComesAfterTheCommit(Runner runner) {
    Pipeline pipeline = pipeline(runner);
    WriteResult result = rows(pipeline, "a", "b").apply(orders(0));
    String path = directory.toString();
    PCollection<String> seen =
        pipeline
            .apply("Later", Create.of("later"))
            .apply(Wait.on(result.outcomes()))
            .apply(
                MapElements.into(TypeDescriptors.strings())
                    .via(later -> Tables.names(Path.of(path)).toString()));
    PAssert.that(seen).containsInAnyOrder("[a, b]");
    PAssert.thatSingleton(
            result
                .outcomes()
                .apply(
                    MapElements.into(TypeDescriptors.strings())
                        .via(o -> o.alreadyCommitted() + " " + o.rows() + " " + o.table())))
        .isEqualTo("false 2 " + path);

    pipeline.run().waitUntilFinish();
  }

  @ParameterizedTest
  @EnumSource
  void replayWithOtherRowsFails(Runner runner) throws IOException {
    run(runner, orders(0), "a");

    var failed = assertThrows(RuntimeException.class, () -> run(runner, orders(0), "x"));

    Throwable cause = failed;
    while (!(cause instanceof ContentChangedException)) {
      cause = cause.getCause();
    }
    assertThat(cause.getMessage(), containsString("must be 1-"));
    assertThat(names(), containsInAnyOrder("a"));
    assertThat(Tables.entries(directory), hasSize(2));
  }

  @ParameterizedTest
  @EnumSource
  void atLeastOnceAddsTheRowsOfAReplayAgain(Runner runner) {
    for (int run = 0; run < 2; run++) {
      Pipeline pipeline = pipeline(runner);
      rows(pipeline, "a", "b").apply(DeltaLakeIO.writeAtLeastOnce().to(directory.toString()));
      pipeline.run().waitUntilFinish();
    }

    assertThat(names(), containsInAnyOrder("a", "a", "b", "b"));
    assertThat(Tables.table(directory).sinks(), empty());
  }

  @ParameterizedTest
  @EnumSource
  void batchReplacesItsPartitionsOnceAndRefusesOtherRows(Runner runner) throws IOException {
    WriteExactlyOnce partitioned = orders(0).withPartitionColumns("name");
    run(runner, partitioned, "a", "b", "b", "c");
    WriteExactlyOnce overwrite =
        partitioned
            .withSink("corrections")
            .overwriting(PartitionPredicate.in("name", "b", "c", "d"));

    var outside = assertThrows(RuntimeException.class, () -> run(runner, overwrite, "d", "e"));
    assertThat(outside.toString(), containsString("a row with {name=e}"));
    assertThat(names(), containsInAnyOrder("a", "b", "b", "c"));
    run(runner, overwrite, "d", "b");
    run(runner, partitioned.withBatch(1, "p1"), "b");
    run(runner, overwrite, "b", "d");

    assertThat(names(), containsInAnyOrder("a", "b", "b", "d"));
    assertThat(Tables.entries(directory), hasSize(4));
  }

  private void runRow(Runner runner, WriteExactlyOnce write, String schema, Object... values) {
    Schema rows = DeltaSchemas.parse(schema);
    Pipeline pipeline = pipeline(runner);
    pipeline
        .apply(Create.of(Row.withSchema(rows).addValues(values).build()).withRowSchema(rows))
        .apply(write);
    pipeline.run().waitUntilFinish();
  }

  private String sortedRows() {
    return DeltaRows.read(directory.toString()).toList().stream()
        .map(row -> row.getValues().toString())
        .sorted()
        .toList()
        .toString();
  }

  @ParameterizedTest
  @EnumSource
  void columnIsAddedWithTheBatchThatNeedsItOnceAndOnlyIfItMay(Runner runner) throws IOException {
    String wide = Tables.schema("name string", "city string", "id long not", "zone integer");
    WriteExactlyOnce evolving = orders(1).evolving(SchemaEvolution.ADD);
    run(runner, orders(0), "a");

    var refused =
        assertThrows(
            RuntimeException.class, () -> runRow(runner, orders(1), wide, "b", "Bonn", 2L, 3));
    assertThat(refused.toString(), containsString("city"));
    assertThat(refused.toString(), containsString("zone"));
    assertThat(names(), contains("a"));
    for (int run = 0; run < 2; run++) {
      runRow(runner, evolving, wide, "b", "Bonn", 2L, 3);
    }
    run(runner, orders(2).evolving(SchemaEvolution.ADD), "c");

    assertThat(sortedRows(), is("[[2, b, Bonn, 3], [97, a, null, null], [99, c, null, null]]"));
    assertThat(Tables.entries(directory), hasSize(4));
    assertThat(Tables.actions(directory, 2, "metaData"), hasSize(1));
    assertThat(Tables.actions(directory, 3, "metaData"), hasSize(0));
  }

  @Test
  void columnOfAMappedTableIsAddedUnderTheNameThatFilesHave() throws IOException {
    String wide = Tables.schema("id long not", "name string", "city string");
    Storage storage = Storage.at("Table path", directory.toString(), Map.of());
    KernelTable.at(storage, Map.of(), Clock.systemUTC())
        .create(Tables.ORDERS, List.of(), Map.of("delta.columnMapping.mode", "name"));

    runRow(Runner.DIRECT, orders(0).evolving(SchemaEvolution.ADD), wide, 2L, "b", "Bonn");

    assertThat(sortedRows(), is("[[2, b, Bonn]]"));
  }

  @Test
  void typeIsWidenedWithTheBatchThatNeedsItOnlyIfItMay() throws IOException {
    String narrow = Tables.schema("n integer");
    String wide = Tables.schema("n long");
    Tables.table(directory)
        .commit(
            DeltaCommit.of("orders/main", 0, "p0", "c", narrow)
                .withTableProperties(Map.of("delta.enableTypeWidening", "true"))
                .withFiles(
                    Tables.write(
                        DataFileSpec.of(directory.toString(), narrow),
                        Row.withSchema(DeltaSchemas.parse(narrow)).addValue(1).build())));

    for (SchemaEvolution less : List.of(SchemaEvolution.NONE, SchemaEvolution.ADD)) {
      var refused =
          assertThrows(
              RuntimeException.class,
              () -> runRow(Runner.DIRECT, orders(1).evolving(less), wide, 1L << 40));
      assertThat(refused.toString(), containsString("integer"));
    }
    runRow(Runner.DIRECT, orders(1).evolving(SchemaEvolution.WIDEN), wide, 1L << 40);

    assertThat(sortedRows(), is("[[1099511627776], [1]]"));
  }

  @Test
  void withoutPlanTheContentStandsForIt() throws IOException {
    WriteExactlyOnce write =
        DeltaLakeIO.writeExactlyOnce("orders").to(directory.toString()).withBatch(3);
    run(Runner.DIRECT, write, "a", "b");
    run(Runner.DIRECT, write, "b", "a");
    assertThat(names(), containsInAnyOrder("a", "b"));

    assertThrows(RuntimeException.class, () -> run(Runner.DIRECT, write, "c"));
    assertThat(names(), containsInAnyOrder("a", "b"));
  }

  @Test
  void everySettingChangesTheResult() throws IOException {
    Pipeline pipeline = pipeline(Runner.DIRECT);
    Row[] rows = new Row[600];
    Arrays.setAll(rows, i -> Tables.order(i, "n" + i % 2));
    pipeline
        .apply(Create.of(Arrays.asList(rows)).withRowSchema(ORDERS))
        .apply(
            orders(0)
                .withSink("second")
                .withPartitionColumns("name")
                .withTableSchema(Tables.schema("id long", "name string", "extra date"))
                .withTargetFileSize(1)
                .withHadoopConfiguration(Map.of("parquet.compression", "uncompressed")));
    pipeline.run().waitUntilFinish();

    TableState state = Tables.table(directory).state().orElseThrow();
    assertThat(state.partitionColumns(), equalTo(List.of("name")));
    assertThat(state.schema().getFieldNames(), equalTo(List.of("id", "name", "extra")));
    assertThat(Tables.table(directory).sinks(), containsInAnyOrder("orders/second"));
    List<DataFile> files = Tables.table(directory).files();
    assertThat(files.toString(), not(containsString("snappy")));
    assertThat(
        files.stream().map(f -> f.partitionValues().get("name")).distinct().toList(),
        containsInAnyOrder("n0", "n1"));
    assertThat(names(), hasSize(600));
  }

  @Test
  void twoSinksOfOneApplicationCountTheirBatchesApart() throws IOException {
    run(Runner.DIRECT, orders(0), "a");
    run(Runner.DIRECT, orders(0).withSink("other"), "b");

    assertThat(names(), containsInAnyOrder("a", "b"));
  }

  @Test
  void wrongUseIsRefusedAtConstruction() {
    Pipeline pipeline = Pipeline.create();
    PCollection<Row> rows = rows(pipeline, "a");
    PCollection<Row> unbounded =
        pipeline
            .apply(GenerateSequence.from(0))
            .apply(MapElements.into(TypeDescriptors.rows()).via(n -> Tables.order(n, "n")))
            .setRowSchema(ORDERS);
    PCollection<Row> windowed =
        rows.apply(Window.into(FixedWindows.of(Duration.standardMinutes(1))));
    List<String> messages = new ArrayList<>();
    for (Runnable use :
        List.<Runnable>of(
            () -> rows.apply("1", DeltaLakeIO.writeExactlyOnce("a").withBatch(0)),
            () -> rows.apply("2", DeltaLakeIO.writeExactlyOnce("a").to("/t")),
            () -> unbounded.apply("3", orders(0)),
            () -> windowed.apply("4", orders(0)),
            () -> rows.apply("5", orders(0).withPartitionColumns("zone")),
            () -> rows.apply("6", orders(0).withTableSchema(Tables.schema("id string"))),
            () -> rows.apply("7", orders(0).to("s3://b/t")),
            () -> DeltaLakeIO.writeExactlyOnce("a#b"),
            () -> DeltaLakeIO.writeExactlyOnce("a").withBatch(-1),
            () -> rows.apply("8", orders(0).overwriting(PartitionPredicate.in("name", "b"))))) {
      messages.add(assertThrows(RuntimeException.class, use::run).getMessage());
    }

    List<String> expected =
        List.of(
            "must have a table",
            "must have a batch id",
            "must have no batch id, but was: 0",
            "must be in the global window, but was: FixedWindows",
            "named once, but was: \"zone\"",
            "Column \"id\" must be of type string",
            "\"s3://b/t\"",
            "without \"#\"",
            "must not be negative",
            "one of the partition columns []");
    for (int i = 0; i < expected.size(); i++) {
      assertThat(messages.get(i), containsString(expected.get(i)));
    }
  }
}
