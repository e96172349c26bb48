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
package dev.idem.io.delta.file;

import static dev.idem.io.delta.table.Tables.schema;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.Tables;
import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.joda.time.DateTime;
import org.joda.time.DateTimeZone;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataFileWriterTest {

  private static final String ALL_TYPES =
      schema(
          "s string",
          "l long",
          "i integer",
          "d double",
          "b boolean",
          "t timestamp",
          "day date",
          "d9 decimal(9,2)",
          "d18 decimal(18,4)",
          "d38 decimal(38,10)",
          "bin binary");

  @TempDir Path directory;

  private static Instant micros(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  private void commit(String schemaJson, List<String> partition, List<DataFile> files) {
    table(directory)
        .commit(
            DeltaCommit.of("a/b", 0, "p", "c", schemaJson)
                .withPartitionColumns(partition)
                .withFiles(files));
  }

  @Test
  void everyTypeComesBackAsItWasWritten() throws IOException {
    long seed = System.nanoTime();
    System.out.println("everyTypeComesBackAsItWasWritten seed " + seed);
    Random random = new Random(seed);
    Schema schema = DeltaSchemas.parse(ALL_TYPES);
    List<Row> rows = new ArrayList<>();
    for (int r = 0; r < 500; r++) {
      rows.add(randomRow(schema, random));
    }

    commit(
        ALL_TYPES,
        List.of(),
        Tables.write(DataFileSpec.of(directory.toString(), ALL_TYPES), rows.toArray(Row[]::new)));

    assertThat("seed " + seed, DeltaRows.read(directory.toString()).toList(), equalTo(rows));
  }

  private static Row randomRow(Schema schema, Random random) {
    Object[] values = {
      text(random),
      random.nextBoolean() ? random.nextLong() : Long.MIN_VALUE,
      random.nextInt(),
      random.nextInt(10) == 0 ? Double.NaN : Double.longBitsToDouble(random.nextLong()),
      random.nextBoolean(),
      micros(random.nextLong() >> 10),
      LocalDate.ofEpochDay(random.nextInt(200_000) - 100_000),
      new BigDecimal(new BigInteger(29, random).subtract(BigInteger.valueOf(1 << 28)), 2),
      new BigDecimal(new BigInteger(58, random).subtract(BigInteger.ONE.shiftLeft(57)), 4),
      new BigDecimal(new BigInteger(125, random).subtract(BigInteger.ONE.shiftLeft(124)), 10),
      bytes(random),
    };
    for (int i = 0; i < values.length; i++) {
      if (random.nextInt(8) == 0) {
        values[i] = null;
      }
    }
    return Row.withSchema(schema).addValues(Arrays.asList(values)).build();
  }

  private static String text(Random random) {
    int[] points = new int[random.nextInt(80)];
    for (int i = 0; i < points.length; i++) {
      do {
        points[i] = random.nextInt(random.nextBoolean() ? 128 : Character.MAX_CODE_POINT + 1);
      } while (points[i] >= Character.MIN_SURROGATE && points[i] <= Character.MAX_SURROGATE);
    }
    return new String(points, 0, points.length);
  }

  private static byte[] bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(40)];
    random.nextBytes(bytes);
    return bytes;
  }

  /** DEV-17, as partition values and in a column. */
  @Test
  void timesBefore1970AreFlooredInPartitionsAndColumns() throws IOException {
    String json = schema("n long", "ts timestamp", "plain timestamp");
    Schema schema = DeltaSchemas.parse(json);
    long[] micros = {-500_000, -1_500_000, -1_000, 0};
    Row[] rows = new Row[micros.length];
    for (int i = 0; i < micros.length; i++) {
      rows[i] =
          Row.withSchema(schema)
              .addValues((long) i + 1, micros(micros[i]), micros(micros[i]))
              .build();
    }

    List<DataFile> files =
        Tables.write(
            DataFileSpec.of(directory.toString(), json).withPartitionColumns(List.of("ts")), rows);
    commit(json, List.of("ts"), files);

    List<String> partitions = files.stream().map(f -> f.partitionValues().get("ts")).toList();
    assertThat(
        partitions,
        containsInAnyOrder(
            "1969-12-31T23:59:59.500000Z",
            "1969-12-31T23:59:58.500000Z",
            "1969-12-31T23:59:59.999000Z",
            "1970-01-01T00:00:00.000000Z"));
    assertThat(DeltaRows.read(directory.toString()).toList(), containsInAnyOrder(rows));
  }

  @Test
  void subMicrosecondsBefore1970GoDownNotTowardsZero() throws IOException {
    String json = schema("ts timestamp");
    Row row =
        Row.withSchema(DeltaSchemas.parse(json))
            .attachValues(List.of(Instant.ofEpochSecond(-1, 999_999_999)));

    commit(json, List.of(), Tables.write(DataFileSpec.of(directory.toString(), json), row));

    assertThat(
        DeltaRows.read(directory.toString()).toList().get(0).getValue("ts"), equalTo(micros(-1)));
  }

  @Test
  void jodaTimesAndNarrowDecimalsAreTaken() throws IOException {
    String json = schema("ts timestamp", "d decimal(10,2)");
    Schema schema = Schema.builder().addDateTimeField("ts").addDecimalField("d").build();
    Row row =
        Row.withSchema(schema)
            .addValues(new DateTime(-1, DateTimeZone.UTC), new BigDecimal("7"))
            .build();

    commit(json, List.of(), Tables.write(DataFileSpec.of(directory.toString(), json), row));

    Row read = DeltaRows.read(directory.toString()).toList().get(0);
    assertThat(read.getValue("ts"), equalTo(micros(-1000)));
    assertThat(read.getValue("d"), equalTo(new BigDecimal("7.00")));
  }

  @Test
  void oddPartitionValuesKeepTheirTextAndTheirFilesAreFound() throws IOException {
    String json = schema("n long", "region string");
    Schema schema = DeltaSchemas.parse(json);
    List<String> values =
        Arrays.asList(
            "a/b",
            "50%",
            "x=y",
            "two words",
            "ünï",
            "O'Brien",
            null,
            "",
            "..",
            "a:b",
            "#?&",
            "x".repeat(300),
            "\u0001\n",
            "%2F");
    Row[] rows = new Row[values.size()];
    for (int i = 0; i < rows.length; i++) {
      rows[i] = Row.withSchema(schema).addValues((long) i, values.get(i)).build();
    }

    List<DataFile> files =
        Tables.write(
            DataFileSpec.of(directory.toString(), json).withPartitionColumns(List.of("region")),
            rows);
    commit(json, List.of("region"), files);

    assertThat(DeltaRows.read(directory.toString()).toList(), containsInAnyOrder(rows));
    for (DataFile file : files) {
      Path decoded = directory.resolve(URI.create(file.path()).getPath());
      assertThat(file.path(), Files.isRegularFile(decoded), is(true));
    }
    List<String> logged = new ArrayList<>();
    for (JsonNode add : Tables.actions(directory, 1, "add")) {
      JsonNode value = add.path("partitionValues").path("region");
      logged.add(value.isNull() ? null : value.asText());
    }
    assertThat(logged, containsInAnyOrder(values.toArray(String[]::new)));
  }

  @Test
  void everyPartitionTypeComesBack() throws IOException {
    String json =
        schema(
            "n long",
            "l long",
            "i integer",
            "d double",
            "b boolean",
            "day date",
            "dec decimal(20,3)");
    List<String> partition = List.of("l", "i", "d", "b", "day", "dec");
    Row row =
        Row.withSchema(DeltaSchemas.parse(json))
            .addValues(
                1L, -5L, 7, 1.5e300, true, LocalDate.of(1969, 12, 31), new BigDecimal("-12.340"))
            .build();
    Row nulls =
        Row.withSchema(DeltaSchemas.parse(json))
            .addValues(2L, null, null, null, null, null, null)
            .build();

    commit(
        json,
        partition,
        Tables.write(
            DataFileSpec.of(directory.toString(), json).withPartitionColumns(partition),
            row,
            nulls));

    assertThat(DeltaRows.read(directory.toString()).toList(), containsInAnyOrder(row, nulls));
  }

  @Test
  void nullInARequiredColumnIsRefusedByNameAndTheWriterGoesOn() throws IOException {
    String json = schema("id long not", "name string");
    Schema nullable =
        Schema.builder()
            .addNullableField("id", Schema.FieldType.INT64)
            .addNullableField("name", Schema.FieldType.STRING)
            .build();
    Row bad = Row.withSchema(nullable).addValues(null, "secret").build();
    Row good = Row.withSchema(nullable).addValues(1L, "a").build();

    List<DataFile> files;
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(directory.toString(), json))) {
      writer.write(good);
      var refused = assertThrows(RowRefusedException.class, () -> writer.write(bad));
      assertThat(refused.column(), is("id"));
      assertThat(refused.getMessage(), containsString("Column \"id\" must not be null"));
      assertThat(refused.getMessage(), not(containsString("secret")));
      writer.write(good);
      files = writer.finish();
    }
    commit(json, List.of(), files);

    assertThat(
        DeltaRows.read(directory.toString()).toList().stream().map(r -> r.getInt64("id")).toList(),
        contains(1L, 1L));
  }

  @Test
  void decimalThatDoesNotFitIsRefusedWithoutItsDigits() throws IOException {
    String json = schema("d decimal(5,2)");
    Schema schema = Schema.builder().addDecimalField("d").build();
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(directory.toString(), json))) {
      Row wide = Row.withSchema(schema).addValue(new BigDecimal("1234.5")).build();
      Row fine = Row.withSchema(schema).addValue(new BigDecimal("1.234")).build();

      var overflow = assertThrows(RowRefusedException.class, () -> writer.write(wide));
      var digits = assertThrows(RowRefusedException.class, () -> writer.write(fine));

      assertThat(overflow.getMessage(), containsString("\"d\" must fit decimal(5,2)"));
      assertThat(overflow.getMessage(), not(containsString("1234")));
      assertThat(digits.rule(), is("must have at most 2 digits after the point"));
      assertThat(writer.finish(), empty());
    }
  }

  @Test
  void rowsOfAnotherSchemaAreRefusedByColumn() throws IOException {
    String json = schema("id long not", "name string");
    Schema missing = Schema.builder().addStringField("name").build();
    Schema extra =
        Schema.builder().addInt64Field("id").addStringField("name").addInt64Field("Name2").build();
    Schema other = Schema.builder().addInt32Field("id").build();
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(directory.toString(), json))) {
      var e1 =
          assertThrows(
              SchemaMismatchException.class,
              () -> writer.write(Row.withSchema(missing).addValue("x").build()));
      var e2 =
          assertThrows(
              SchemaMismatchException.class,
              () -> writer.write(Row.withSchema(extra).addValues(1L, "x", 2L).build()));
      var e3 =
          assertThrows(
              SchemaMismatchException.class,
              () -> writer.write(Row.withSchema(other).addValue(1).build()));

      assertThat(List.of(e1.column(), e2.column(), e3.column()), contains("id", "Name2", "id"));
      assertThat(e3.getMessage(), containsString("must be of type long"));
      assertThat(e3.getMessage(), containsString("but was: integer"));
    }
  }

  @Test
  void statisticsBoundWhatTheFileHolds() throws IOException {
    String json =
        schema(
            "s string",
            "l long",
            "d double",
            "nan double",
            "inf double",
            "t timestamp",
            "day date",
            "dec decimal(20,2)",
            "b boolean",
            "none long");
    Schema schema = DeltaSchemas.parse(json);
    String longText = "é".repeat(40);
    Row low =
        Row.withSchema(schema)
            .addValues(
                "abc",
                -5L,
                -1.5,
                1.0,
                1.0,
                micros(-1_500),
                LocalDate.of(1969, 12, 30),
                new BigDecimal("-10.00"),
                true,
                null)
            .build();
    Row high =
        Row.withSchema(schema)
            .addValues(
                longText,
                9L,
                2.5,
                Double.NaN,
                Double.POSITIVE_INFINITY,
                micros(1_001),
                LocalDate.of(2020, 2, 29),
                new BigDecimal("123456789012345678.90"),
                false,
                null)
            .build();

    DataFile file = Tables.write(DataFileSpec.of(directory.toString(), json), low, high).get(0);

    JsonNode stats = new JsonMapper().readTree(file.stats());
    assertThat(
        file.stats(),
        containsString(
            "\"minValues\":{\"s\":\"abc\",\"l\":-5,\"d\":-1.5,\"t\":\"1969-12-31T23:59:59.998Z\","
                + "\"day\":\"1969-12-30\",\"dec\":-10.00}"));
    assertThat(
        file.stats(),
        containsString(
            "\"maxValues\":{\"s\":\""
                + "é".repeat(31)
                + "ê\",\"l\":9,\"d\":2.5,\"t\":\"1970-01-01T00:00:00.002Z\","
                + "\"day\":\"2020-02-29\",\"dec\":123456789012345678.90}"));
    assertThat(
        stats.path("nullCount").toString(),
        is(
            "{\"s\":0,\"l\":0,\"d\":0,\"nan\":0,\"inf\":0,\"t\":0,\"day\":0,\"dec\":0,\"b\":0,"
                + "\"none\":2}"));
    assertThat(stats.path("numRecords").asLong(), is(2L));
    assertThat(file.rows(), is(2L));
  }

  @Test
  void filesRollAtTheTargetSize() throws IOException {
    String json = schema("s string");
    Schema schema = DeltaSchemas.parse(json);
    Random random = new Random(1);
    List<String> written = new ArrayList<>();
    List<DataFile> files;
    try (DataFileWriter writer =
        DataFileWriter.open(
            DataFileSpec.of(directory.toString(), json).withTargetFileSize(100_000))) {
      for (int i = 0; i < 5_000; i++) {
        String value = Long.toHexString(random.nextLong()) + Long.toHexString(random.nextLong());
        written.add(value);
        writer.write(Row.withSchema(schema).addValue(value).build());
      }
      files = writer.finish();
    }
    commit(json, List.of(), files);

    assertThat(files.size(), greaterThan(1));
    assertThat(files.stream().mapToLong(DataFile::rows).sum(), is(5_000L));
    assertThat(
        new TreeSet<>(
            DeltaRows.read(directory.toString()).toList().stream()
                .map(r -> r.getString("s"))
                .toList()),
        equalTo(new TreeSet<>(written)));
  }

  @Test
  void manyPartitionValuesKeepFewFilesOpen() throws IOException {
    String json = schema("n long", "p long");
    Schema schema = DeltaSchemas.parse(json);
    List<Row> rows = new ArrayList<>();
    for (long n = 0; n < 200; n++) {
      rows.add(Row.withSchema(schema).addValues(n, n % 100).build());
    }

    List<DataFile> files =
        Tables.write(
            DataFileSpec.of(directory.toString(), json).withPartitionColumns(List.of("p")),
            rows.toArray(Row[]::new));
    commit(json, List.of("p"), files);

    // Each value comes twice, a hundred rows apart: its first file was closed for others by then.
    assertThat(files, hasSize(200));
    assertThat(
        DeltaRows.read(directory.toString()).toList(),
        containsInAnyOrder(rows.toArray(Row[]::new)));
  }

  @Test
  void noRowsMakeNoFile() throws IOException {
    assertThat(Tables.orders(directory), empty());
    assertThat(Tables.dataFiles(directory), empty());
  }

  @Test
  void writerThatIsClosedUnfinishedLeavesNothing() throws IOException {
    try (DataFileWriter writer =
        DataFileWriter.open(DataFileSpec.of(directory.toString(), Tables.ORDERS))) {
      writer.write(Tables.order(1, "a"));
      assertThat(Tables.dataFiles(directory), hasSize(1));
    }

    assertThat(Tables.dataFiles(directory), empty());
  }

  @Test
  void filesAndDirectoriesAreForcedBeforeFinishReturns() throws IOException {
    String json = schema("n long", "p string");
    Set<Path> forced = new HashSet<>();
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) {}

          @Override
          public void after(FileOperation operation) {
            if (operation.kind() == FileOperation.Kind.FORCE_FILE
                || operation.kind() == FileOperation.Kind.FORCE_DIRECTORY) {
              forced.add(operation.path());
            }
          }
        };
    Path tablePath = directory.resolve("t");
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      Tables.write(
          DataFileSpec.of(tablePath.toString(), json).withPartitionColumns(List.of("p")),
          Row.withSchema(DeltaSchemas.parse(json)).addValues(1L, "x").build());
    } finally {
      observation.close();
    }

    Path file = Tables.dataFiles(tablePath).get(0);
    assertThat(forced, equalTo(Set.of(file, tablePath.resolve("p=x"), tablePath, directory)));
  }

  @Test
  void dataFileComesBackFromItsJson() throws IOException {
    DataFile file =
        new DataFile(
            "p=1/a%2520b",
            1, 2, java.util.Collections.singletonMap("p", null), "{\"numRecords\":3}", 3);

    assertThat(DataFile.fromJson(file.toJson()), equalTo(file));
    assertThrows(IllegalArgumentException.class, () -> DataFile.fromJson("{}"));
  }

  @Test
  void hadoopConfigurationReachesTheFiles() throws IOException {
    String json = schema("s string");
    Row[] rows = new Row[2000];
    Arrays.fill(rows, Row.withSchema(DeltaSchemas.parse(json)).addValue("same".repeat(99)).build());

    long with = Tables.write(DataFileSpec.of(directory.toString(), json), rows).get(0).size();
    long without =
        Tables.write(
                DataFileSpec.of(directory.toString(), json)
                    .withHadoopConfiguration(Map.of("parquet.compression", "uncompressed")),
                rows)
            .get(0)
            .size();

    assertThat(without, not(is(with)));
    assertThat(
        Tables.dataFiles(directory).stream()
            .map(f -> f.getFileName().toString().replaceAll("^part-[0-9a-f-]+", ""))
            .toList(),
        containsInAnyOrder(".snappy.parquet", ".parquet"));
  }
}
