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
package dev.idem.io.delta.maintenance;

import static dev.idem.io.delta.table.Tables.actions;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.Tables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Collectors;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files with disjoint ranges of the columns that rows are clustered by. */
class ClusteringTest {

  private static final JsonMapper JSON = new JsonMapper();
  private static final String SALES =
      Tables.schema("amount long", "name string", "flag boolean", "raw binary", "region string");
  private static final Schema ROWS = DeltaSchemas.parse(SALES);
  private static final List<String> REGIONS = List.of("east", "west");
  private static final int ROWS_A_FILE = 2_000;

  /** Some rows at a time are sorted, and files of few rows made of them. */
  private static final OptimizeSpec BY_AMOUNT =
      OptimizeSpec.ofDefaults()
          .withTargetFileSize(8_000)
          .withSortMemory(40_000)
          .clusterBy("amount", "name");

  @TempDir Path directory;

  private final List<Row> rows = new ArrayList<>();

  private void append(Random random, int count, String... regions) throws IOException {
    List<Row> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      added.add(
          Row.withSchema(ROWS)
              .addValues(
                  random.nextInt(10) == 0 ? null : random.nextLong(50_000) - 25_000,
                  "n" + random.nextInt(1_000),
                  random.nextBoolean(),
                  new byte[] {(byte) i},
                  regions[random.nextInt(regions.length)])
              .build());
    }
    DataFileSpec spec =
        DataFileSpec.of(directory.toString(), SALES).withPartitionColumns(List.of("region"));
    table(directory)
        .append(SALES, List.of("region"), Tables.write(spec, added.toArray(Row[]::new)));
    rows.addAll(added);
  }

  private void assertRowsAreUnchanged() {
    assertThat(
        counts(DeltaRows.read(directory.toString()).toList()).equals(counts(rows)), is(true));
  }

  private static Map<Row, Long> counts(List<Row> rows) {
    return rows.stream().collect(Collectors.groupingBy(row -> row, Collectors.counting()));
  }

  private Random random() {
    long seed = new Random().nextLong();
    System.out.println("Seed of rows to cluster: " + seed);
    return new Random(seed);
  }

  private OptimizeResult optimize(OptimizeSpec spec) {
    return TableMaintenance.at(directory.toString(), Map.of()).optimize(spec);
  }

  /** The least and the greatest amount of a file; nulls are less than both. */
  private record Range(DataFile file, long nulls, long least, long greatest) {
    boolean mayHold(long amount) {
      return least <= amount && amount <= greatest;
    }
  }

  private List<Range> ranges(String region) throws IOException {
    List<Range> ranges = new ArrayList<>();
    for (DataFile file : table(directory).files()) {
      if (Objects.equals(file.partitionValues().get("region"), region)) {
        JsonNode stats = JSON.readTree(file.stats());
        ranges.add(
            new Range(
                file,
                stats.path("nullCount").path("amount").asLong(),
                stats.path("minValues").path("amount").asLong(Long.MIN_VALUE),
                stats.path("maxValues").path("amount").asLong(Long.MIN_VALUE)));
      }
    }
    ranges.sort(Comparator.comparingLong(Range::least).thenComparingLong(Range::greatest));
    return ranges;
  }

  private List<Row> rowsOf(DataFile file) {
    return DeltaRows.read(directory.toString())
        .fromFiles(each -> each.path().equals(file.path()))
        .toList();
  }

  private static final Comparator<Row> ORDER =
      Comparator.comparing(
              (Row row) -> row.getInt64("amount"), Comparator.nullsFirst(Long::compareTo))
          .thenComparing(row -> row.getString("name"));

  @Test
  void rangesOfFilesAndOfTheirRowsDoNotOverlap() throws IOException {
    Random random = random();
    for (int file = 0; file < 3; file++) {
      append(random, ROWS_A_FILE, "east", "west");
    }
    for (String region : REGIONS) {
      assertThat(ranges(region).stream().filter(range -> range.mayHold(7)).count(), is(3L));
    }

    OptimizeResult result = optimize(BY_AMOUNT);

    assertThat(result.commits(), is(2L));
    assertThat(result.removedFiles(), is(6L));
    for (String region : REGIONS) {
      List<Range> ranges = ranges(region);
      assertThat(ranges.size(), greaterThan(3));
      List<Row> inOrder = new ArrayList<>();
      for (int i = 0; i < ranges.size(); i++) {
        inOrder.addAll(rowsOf(ranges.get(i).file()));
        if (i > 0) {
          assertThat(ranges.get(i - 1).greatest() <= ranges.get(i).least(), is(true));
          // Nulls come first, so the file before has nothing else.
          boolean nullsBefore = ranges.get(i - 1).least() == Long.MIN_VALUE;
          assertThat(ranges.get(i).nulls() == 0 || nullsBefore, is(true));
        }
      }
      // Row by row, from file to file: so a row group's range is as narrow.
      assertThat(inOrder, is(inOrder.stream().sorted(ORDER).toList()));
      long between = ranges.get(1).least() + 1;
      assertThat(ranges.stream().filter(range -> range.mayHold(between)).count(), is(1L));
    }
    assertRowsAreUnchanged();
  }

  @Test
  void secondRunFindsNothingToDoUntilThereAreNewFiles() throws IOException {
    Random random = random();
    append(random, ROWS_A_FILE, "east");
    append(random, ROWS_A_FILE, "west");

    assertThat(optimize(BY_AMOUNT).commits(), is(2L));
    assertThat(optimize(BY_AMOUNT).commits(), is(0L));
    assertThat(optimize(BY_AMOUNT.dryRunOnly()).removedFiles(), is(0L));

    append(random, 10, "west");
    int west = ranges("west").size();
    assertThat(optimize(BY_AMOUNT.withMinInputFiles(2)).commits(), is(0L));
    assertThat(optimize(BY_AMOUNT.dryRunOnly()).removedFiles(), is((long) west));
    assertThat(
        optimize(BY_AMOUNT.where(PartitionPredicate.in("region", "east"))).commits(), is(0L));
    assertThat(optimize(BY_AMOUNT.withMinInputFiles(1)).removedFiles(), is((long) west));
    assertThat(optimize(BY_AMOUNT).commits(), is(0L));

    // Other columns are another order.
    assertThat(optimize(BY_AMOUNT.clusterBy("amount")).commits(), is(2L));
    assertThat(optimize(BY_AMOUNT.clusterBy("AMOUNT")).commits(), is(0L));
    assertRowsAreUnchanged();
  }

  @Test
  void whatIsClusteredIsKnownFromACheckpointToo() throws IOException {
    Random random = random();
    append(random, ROWS_A_FILE, "east");
    assertThat(optimize(BY_AMOUNT).commits(), is(1L));
    long checkpoint = 0;
    for (long version = 2; checkpoint == 0; version++) {
      append(random, 1, "west");
      checkpoint =
          directory
                  .resolve("_delta_log")
                  .resolve(String.format("%020d.checkpoint.parquet", version + 1))
                  .toFile()
                  .exists()
              ? version
              : 0;
    }

    OptimizeSpec east = BY_AMOUNT.where(PartitionPredicate.in("region", "east"));

    assertThat(optimize(east).commits(), is(0L));
  }

  @Test
  void historySaysWhatRowsAreClusteredByAndThatNoneChanged() throws IOException {
    append(random(), 100, "east");
    long version = table(directory).state().orElseThrow().version();

    optimize(BY_AMOUNT);

    JsonNode info = actions(directory, version + 1, "commitInfo").get(0);
    assertThat(info.path("operation").asText(), is("OPTIMIZE"));
    assertThat(info.path("operationParameters").path("clusterBy").asText(), is("[amount, name]"));
    for (String action : List.of("add", "remove")) {
      List<JsonNode> files = actions(directory, version + 1, action);
      assertThat(
          files.stream().map(file -> file.path("dataChange").asBoolean(true)).toList(),
          contains(false));
    }
  }

  private String refusal(String... columns) {
    return assertThrows(
            IllegalArgumentException.class,
            () -> optimize(OptimizeSpec.ofDefaults().clusterBy(columns)))
        .getMessage();
  }

  @Test
  void columnsWithoutBoundsAreRefusedByName() throws IOException {
    append(random(), 10, "east");
    String rule =
        "Column to cluster by must be one that files of table \""
            + directory
            + "\" have bounds of, [amount, name], but was: ";
    String remedy = ". Cluster by another column.";

    assertThat(refusal("amount", "flag"), is(rule + "\"flag\" of type boolean" + remedy));
    assertThat(refusal("RAW"), is(rule + "\"raw\" of type binary" + remedy));
    assertThat(refusal("region"), is(rule + "\"region\" of type string" + remedy));
    assertThat(refusal("absent"), is(rule + "\"absent\"" + remedy));
    assertThat(refusal("name", "Name"), containsString("named once, but was: \"name\" twice."));
  }

  @Test
  void columnsAfterTheThirtySecondHaveNoBounds() throws IOException {
    List<String> columns = new ArrayList<>();
    columns.add(Tables.column("nested", Tables.struct(column("x"), column("y")), true));
    for (int i = 2; i < 33; i++) {
      columns.add(column("c" + i));
    }
    String wide = Tables.struct(columns.toArray(String[]::new));
    Row nulls = Row.nullRow(DeltaSchemas.parse(wide));
    table(directory)
        .append(wide, List.of(), Tables.write(DataFileSpec.of(directory.toString(), wide), nulls));

    assertThat(refusal("c32"), containsString("c31], but was: \"c32\" of type long."));
    assertThat(refusal("nested"), containsString("[c2, c3,"));
    assertThat(optimize(OptimizeSpec.ofDefaults().clusterBy("c31")).commits(), is(1L));
  }

  private static String column(String name) {
    return Tables.column(name, "\"long\"", true);
  }
}
