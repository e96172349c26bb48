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
package dev.idem.io.delta.kernel;

import static dev.idem.io.delta.table.Tables.column;
import static dev.idem.io.delta.table.Tables.struct;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.kernel.KeyRanges.Range;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.Tables;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** No file that holds a wanted row is left out, and those that surely hold none are. */
class KeyRangesTest {

  @TempDir Path directory;

  /** The files in the order in which they came into the table. */
  private final List<String> paths = new ArrayList<>();

  private KernelSnapshot snapshot() {
    return RowDeletions.snapshot(directory);
  }

  private static KeyRanges of(String column, Object low, Object high) {
    return new KeyRanges(Map.of(column, List.of(new Range(low, high))));
  }

  private Set<Integer> kept(KeyRanges wanted) {
    Set<Integer> kept = new TreeSet<>();
    snapshot().files(wanted).forEach(file -> kept.add(paths.indexOf(file.path())));
    return kept;
  }

  private static Set<Integer> range(int first, int last) {
    return new TreeSet<>(IntStream.rangeClosed(first, last).boxed().toList());
  }

  /** Appends one file. */
  private void append(String schema, List<String> partitions, List<Row> rows) throws IOException {
    DataFileSpec spec =
        DataFileSpec.of(directory.toString(), schema).withPartitionColumns(partitions);
    List<DataFile> files = Tables.write(spec, rows.toArray(Row[]::new));
    assertThat(files.size(), is(1));
    paths.add(files.get(0).path());
    table(directory).append(schema, partitions, files);
  }

  private void append(String schema, List<String> partitions, Object... values) throws IOException {
    append(
        schema,
        partitions,
        Arrays.stream(values)
            .map(v -> Row.withSchema(DeltaSchemas.parse(schema)).addValues(1L, v).build())
            .toList());
  }

  /** Returns the values of a column as rows have them, file by file. */
  private List<Object> values(String column) throws IOException {
    KernelSnapshot snapshot = snapshot();
    Map<String, KernelFile> files = new HashMap<>();
    snapshot.files().forEach(file -> files.put(file.path(), file));
    List<Object> values = new ArrayList<>();
    for (String path : paths) {
      snapshot.scan(List.of(column)).read(files.get(path), row -> values.add(row[0]));
    }
    return values;
  }

  static Stream<Arguments> orderedValues() {
    String same = "b".repeat(40);
    return Stream.of(
        Arguments.of(
            "byte", List.of((byte) -128, (byte) -1, (byte) 0, (byte) 5, (byte) 9, (byte) 127)),
        Arguments.of(
            "short",
            List.of(Short.MIN_VALUE, (short) -1, (short) 0, (short) 5, (short) 9, Short.MAX_VALUE)),
        Arguments.of("integer", List.of(Integer.MIN_VALUE, -1, 0, 5, 9, Integer.MAX_VALUE)),
        Arguments.of("long", List.of(Long.MIN_VALUE, -1L, 0L, 5L, 9L, Long.MAX_VALUE)),
        // UTF-16 has the last two in the other order.
        Arguments.of("string", List.of("A", "a", same + "1", same + "2", "\uFFFD", "\uD83D\uDE00")),
        Arguments.of(
            "decimal(10,3)",
            Stream.of("-9999999.999", "-0.001", "0.000", "0.001", "1.500", "9999999.999")
                .map(BigDecimal::new)
                .toList()),
        Arguments.of(
            "decimal(38,10)",
            Stream.of(
                    "-1234567890123456789012345678",
                    "-1",
                    "0",
                    "0.0000000001",
                    "1",
                    "1234567890123456789012345678")
                .map(n -> new BigDecimal(n).setScale(10))
                .toList()),
        Arguments.of(
            "date",
            Stream.of(
                    "0001-01-01",
                    "1582-10-04",
                    "1582-10-15",
                    "1969-12-31",
                    "1970-01-01",
                    "9999-12-31")
                .map(LocalDate::parse)
                .toList()),
        Arguments.of(
            "timestamp",
            Stream.of(
                    "0001-01-01T00:00:00Z",
                    "1582-10-04T12:00:00.000001Z",
                    "1969-12-31T23:59:59.990001Z",
                    "1969-12-31T23:59:59.999999Z",
                    "2026-03-08T02:30:00.123456Z",
                    "9999-12-30T23:59:59.999999Z")
                .map(Instant::parse)
                .toList()),
        Arguments.of(
            "timestamp_ntz",
            Stream.of(
                    "0001-01-01T00:00:00",
                    "1600-10-04T12:00:00.000001",
                    "1969-12-31T23:59:59.990001",
                    "1969-12-31T23:59:59.999999",
                    "2026-03-08T02:30:00.123456",
                    "9999-12-30T23:59:59.999999")
                .map(LocalDateTime::parse)
                .toList()));
  }

  private static String keyed(String type) {
    return Tables.schema("n long", "v " + type);
  }

  @ParameterizedTest
  @MethodSource("orderedValues")
  void filesAreLeftOutByTheirBounds(String type, List<Object> ordered) throws IOException {
    for (int file = 0; file < 3; file++) {
      append(keyed(type), List.of(), ordered.get(2 * file), ordered.get(2 * file + 1));
    }
    List<Object> values = values("v");

    for (int low = 0; low < 6; low++) {
      for (int high = low; high < 6; high++) {
        assertThat(
            low + " to " + high,
            kept(of("v", values.get(low), values.get(high))),
            is(range(low / 2, high / 2)));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("orderedValues")
  void filesAreLeftOutByTheirPartition(String type, List<Object> ordered) throws IOException {
    for (Object value : ordered) {
      append(keyed(type), List.of("v"), value);
    }
    List<Object> values = values("v");
    append(keyed(type), List.of("v"), (Object) null);

    for (int low = 0; low < 6; low++) {
      for (int high = low; high < 6; high++) {
        assertThat(
            low + " to " + high,
            kept(of("v", values.get(low), values.get(high))),
            is(range(low, high)));
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "boolean, false",
    "boolean, true",
    "double, false",
    "double, true",
    "float, true",
    "binary, false"
  })
  void columnsWithoutUsableBoundsLeaveNothingOut(String type, boolean partitioned)
      throws IOException {
    Map<String, List<Object>> all =
        Map.of(
            "boolean", List.of(false, true),
            "double", List.of(1.5, Double.NaN),
            "float", List.of(1.5f, -0f),
            "binary", List.of(new byte[] {1}, new byte[] {-1}));
    List<String> partitions = partitioned ? List.of("v") : List.of();
    append(keyed(type), partitions, all.get(type).get(0));
    append(keyed(type), partitions, all.get(type).get(1));
    Object value = values("v").get(0);

    assertThat(kept(of("v", value, value)), is(range(0, 1)));
    assertThat(
        kept(
            new KeyRanges(
                Map.of("v", List.of(new Range(value, value)), "n", List.of(new Range(2L, 3L))))),
        is(empty()));
  }

  @Test
  void withoutColumnsEveryFileIsReturnedAsItIsAndWithoutRangesNone() throws IOException {
    append(keyed("string"), List.of("v"), "a");
    append(keyed("string"), List.of("v"), (Object) null);

    assertThat(snapshot().files(new KeyRanges(Map.of())), is(snapshot().files()));
    assertThat(kept(new KeyRanges(Map.of())), is(range(0, 1)));
    assertThat(snapshot().files(of("n", 1L, 1L)), is(snapshot().files()));
    assertThat(kept(new KeyRanges(Map.of("v", List.of()))), is(empty()));
    assertThat(
        kept(new KeyRanges(Map.of("v", List.of(), "n", List.of(new Range(1L, 1L))))), is(empty()));
  }

  /** Makes a table of files that are not there, with some statistics. */
  private void create(String schema, Map<String, String> properties, String... stats) {
    KernelTable.at(
            Storage.at("Table path", directory.toString(), Map.of()), Map.of(), Clock.systemUTC())
        .create(schema, List.of(), properties);
    List<KernelCommit.Action> actions = new ArrayList<>();
    for (String each : stats) {
      String path = "part-" + paths.size() + ".parquet";
      paths.add(path);
      actions.add(new KernelCommit.Action(KernelFile.of(path, 1, 1, Map.of(), each), true, true));
    }
    RowDeletions.commit(snapshot(), actions);
  }

  private static String bounds(String column, String low, String high) {
    return "{\"numRecords\":2,\"minValues\":{\"%1$s\":%2$s},\"maxValues\":{\"%1$s\":%3$s},\"nullCount\":{\"%1$s\":0}}"
        .formatted(column, low, high);
  }

  @Test
  void filesOfWhichNothingIsKnownAreKept() {
    create(
        keyed("long"),
        Map.of(),
        bounds("v", "1", "2"),
        null,
        "{}",
        "{\"numRecords\":2}",
        bounds("n", "1", "2"),
        "{\"numRecords\":2,\"minValues\":{},\"maxValues\":{},\"nullCount\":{\"v\":2}}");

    assertThat(kept(of("v", 3L, 4L)), is(range(1, 5)));
  }

  @Test
  void boundsThatAreNotTightHold() {
    create(
        keyed("long"),
        Map.of(),
        bounds("v", "1", "9").replace("}}", "},\"tightBounds\":false}"),
        bounds("v", "20", "29").replace("}}", "},\"tightBounds\":false}"));

    assertThat(kept(of("v", 9L, 9L)), is(range(0, 0)));
    assertThat(kept(of("v", 10L, 19L)), is(empty()));
    assertThat(kept(of("v", 10L, 20L)), is(range(1, 1)));
  }

  @ParameterizedTest
  @CsvSource({
    "timestamp, 2026-01-01T00:00:00.456Z",
    "timestamp, 2026-01-01T01:00:00.456+01:00",
    "timestamp_ntz, 2026-01-01T00:00:00.456"
  })
  void timestampsWithinTheMillisecondOfTheBoundsAreKept(String type, String bound) {
    create(keyed(type), Map.of(), bounds("v", "\"" + bound + "\"", "\"" + bound + "\""));
    long micros = Instant.parse("2026-01-01T00:00:00.456Z").toEpochMilli() * 1000;

    assertThat(kept(of("v", micros + 999, micros + 999)), is(range(0, 0)));
    assertThat(kept(of("v", micros, micros)), is(range(0, 0)));
    assertThat(kept(of("v", micros - 1, micros - 1)), is(empty()));
    assertThat(kept(of("v", micros + 1001, micros + 1001)), is(empty()));
  }

  @Test
  void daysThatTheGregorianCalendarLeftOutAreFound() {
    LocalDate first = LocalDate.of(1582, 9, 25);
    create(
        keyed("date"),
        Map.of(),
        IntStream.range(0, 50)
            .mapToObj(day -> "\"" + first.plusDays(day) + "\"")
            .map(day -> bounds("v", day, day))
            .toArray(String[]::new));

    for (int day = 0; day < 50; day++) {
      int wanted = (int) first.plusDays(day).toEpochDay();
      Set<Integer> kept = kept(of("v", wanted, wanted));
      assertThat(day + " in " + kept, kept.contains(day), is(true));
      assertThat(kept.size() == 1, is(day < 10 || day >= 30));
    }
  }

  @Test
  void boundsOfTextThatWereCutAreBounds() {
    create(
        keyed("string"),
        Map.of(),
        bounds("v", "\"" + "a".repeat(32) + "\"", "\"" + "c".repeat(32) + "\uDBFF\uDFFF\""),
        bounds("v", "\"d\"", "\"e\""));

    assertThat(kept(of("v", "c".repeat(40), "c".repeat(40))), is(range(0, 0)));
    assertThat(kept(of("v", "a".repeat(33), "b")), is(range(0, 0)));
    assertThat(kept(of("v", "a".repeat(31), "a".repeat(31))), is(empty()));
    assertThat(kept(of("v", "cd", "d")), is(range(1, 1)));
  }

  @Test
  void mappedColumnsAreFoundByTheNamesThatFilesHave() throws IOException {
    KernelTable kernel =
        KernelTable.at(
            Storage.at("Table path", directory.toString(), Map.of()), Map.of(), Clock.systemUTC());
    kernel.create(keyed("long"), List.of(), Map.of("delta.columnMapping.mode", "name"));
    String json = snapshot().schemaJson();
    java.util.regex.Matcher names =
        java.util.regex.Pattern.compile("physicalName\":\"([^\"]+)\"").matcher(json);
    List<String> physical = names.results().map(name -> name.group(1)).toList();
    String v = physical.get(1);
    assertThat(v.equals("v"), is(false));
    create(keyed("long"), Map.of(), bounds(v, "1", "2"), bounds(v, "3", "4"));

    assertThat(kept(of("v", 3L, 3L)), is(range(1, 1)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "byte; long; 1; 2; 5; 6",
        "integer; long; 1; 2; 5; 6",
        "integer; decimal(20,2); 1; 2; 5; 6",
        "decimal(5,2); decimal(10,4); 1.50; 1.75; 5.25; 6"
      })
  void boundsOfAWidenedColumnHold(
      String from, String to, String low, String high, String low2, String high2) {
    widened(from, to, bounds("v", low, high), bounds("v", low2, high2));

    assertThat(kept(of("v", value(to, low), value(to, low))), is(range(0, 0)));
    assertThat(kept(of("v", value(to, high), value(to, low2))), is(range(0, 1)));
    assertThat(kept(of("v", value(to, "3"), value(to, "4"))), is(empty()));
  }

  @Test
  void datesThatWereWidenedToTimestampsLeaveNothingOut() {
    widened(
        "date",
        "timestamp_ntz",
        bounds("v", "\"2026-01-01\"", "\"2026-01-02\""),
        bounds("v", "\"2026-01-03T00:00:00.000\"", "\"2026-01-03T00:00:00.000\""));

    assertThat(kept(of("v", 0L, 0L)), is(range(0, 1)));
  }

  private static Object value(String type, String value) {
    return type.equals("long") ? (Object) Long.valueOf(value) : new BigDecimal(value);
  }

  private void widened(String from, String to, String... stats) {
    String change =
        "{\"delta.typeChanges\":[{\"fromType\":\"%s\",\"toType\":\"%s\"}]}".formatted(from, to);
    create(
        struct(
            column("n", "\"long\"", true),
            column("v", "\"" + to + "\"", true)
                .replace("\"metadata\":{}", "\"metadata\":" + change)),
        Map.of("delta.enableTypeWidening", "true"),
        stats);
  }

  @Test
  void thousandsOfRangesAreTakenAtOnce() {
    create(
        keyed("long"),
        Map.of(),
        IntStream.range(0, 100)
            .mapToObj(n -> bounds("v", "" + 10 * n, "" + (10 * n + 5)))
            .toArray(String[]::new));
    List<Range> ranges = new ArrayList<>();
    for (long n = 0; n < 10_000; n++) {
      long at = 10 * (n % 50) + 6 + n % 4;
      ranges.add(new Range(at, at));
    }
    assertThat(kept(new KeyRanges(Map.of("v", ranges))), is(empty()));
    ranges.add(5_000, new Range(903L, 903L));
    ranges.add(new Range(15L, 20L));

    assertThat(kept(new KeyRanges(Map.of("v", ranges))), is(Set.of(1, 2, 90)));
  }

  private static final String COMPOSITE = Tables.schema("k long", "s string", "p integer");

  private record Key(long k, String s, Integer p) {}

  @Test
  void noFileWithAWantedRowIsEverMissing() throws IOException {
    long seed = System.nanoTime();
    System.out.println("noFileWithAWantedRowIsEverMissing seed " + seed);
    Random random = new Random(seed);
    List<List<Key>> files = new ArrayList<>();
    for (int file = 0; file < 25; file++) {
      Integer p = random.nextInt(8) == 0 ? null : random.nextInt(5);
      long base = random.nextInt(1000);
      List<Key> keys =
          IntStream.range(0, 1 + random.nextInt(5))
              .mapToObj(i -> new Key(base + random.nextInt(60), text(random), p))
              .toList();
      files.add(keys);
      append(
          COMPOSITE,
          List.of("p"),
          keys.stream()
              .map(
                  key ->
                      Row.withSchema(DeltaSchemas.parse(COMPOSITE))
                          .addValues(key.k, key.s, key.p)
                          .build())
              .toList());
    }
    KernelSnapshot snapshot = snapshot();
    int leftOut = 0;
    for (int round = 0; round < 200; round++) {
      KeyRanges wanted =
          new KeyRanges(
              Map.of(
                  "k", longs(random, 1000),
                  "s", texts(random),
                  "p", random.nextBoolean() ? List.of(new Range(0, 4)) : ints(random)));
      Set<String> kept = new TreeSet<>();
      snapshot.files(wanted).forEach(file -> kept.add(file.path()));

      for (int file = 0; file < files.size(); file++) {
        List<Key> keys = files.get(file);
        boolean holds =
            keys.stream()
                .anyMatch(
                    key ->
                        in(wanted, "k", key.k, key.k)
                            && in(wanted, "s", key.s, key.s)
                            && key.p != null
                            && in(wanted, "p", key.p, key.p));
        Key any = keys.get(0);
        boolean can =
            in(
                    wanted,
                    "k",
                    keys.stream().mapToLong(Key::k).min().orElseThrow(),
                    keys.stream().mapToLong(Key::k).max().orElseThrow())
                && in(
                    wanted,
                    "s",
                    keys.stream().map(Key::s).min(String::compareTo).orElseThrow(),
                    keys.stream().map(Key::s).max(String::compareTo).orElseThrow())
                && any.p != null
                && in(wanted, "p", any.p, any.p);
        String message = "seed " + seed + ", round " + round + ", file " + file;
        assertThat(message, kept.contains(paths.get(file)), is(can));
        assertThat(message, can || !holds, is(true));
        leftOut += can ? 0 : 1;
      }
    }
    assertThat(leftOut, greaterThan(200));
  }

  private static String text(Random random) {
    return "k".repeat(random.nextInt(3)) + (char) ('a' + random.nextInt(26));
  }

  private static List<Range> longs(Random random, int most) {
    return LongStream.range(0, 1 + random.nextInt(64))
        .map(i -> random.nextInt(most))
        .mapToObj(low -> new Range(low, low + random.nextInt(5)))
        .toList();
  }

  private static List<Range> ints(Random random) {
    return List.of(new Range(random.nextInt(3), 3), new Range(4, 4));
  }

  private static List<Range> texts(Random random) {
    return Stream.generate(() -> text(random))
        .limit(1 + random.nextInt(8))
        .map(low -> new Range(low, low + "k"))
        .toList();
  }

  @SuppressWarnings("unchecked") // all values of a column are of one type
  private static boolean in(KeyRanges wanted, String column, Object low, Object high) {
    return wanted.columns().get(column).stream()
        .anyMatch(
            range ->
                ((Comparable<Object>) low).compareTo(range.high()) <= 0
                    && ((Comparable<Object>) high).compareTo(range.low()) >= 0);
  }

  @Test
  void columnThatIsNoneAndValuesThatAreNotItsAreRefused() throws IOException {
    append(keyed("decimal(5,2)"), List.of(), new BigDecimal("1.00"));
    KernelSnapshot snapshot = snapshot();

    var unknown =
        assertThrows(IllegalArgumentException.class, () -> snapshot.files(of("x", 1L, 1L)));
    assertThat(unknown.getMessage(), is("Column must be one of [n, v], but was: \"x\"."));
    for (KeyRanges wrong :
        List.of(
            of("n", 1, 1),
            of("v", 1L, 1L),
            of("v", new BigDecimal("1.001"), new BigDecimal("2")),
            of("v", new BigDecimal("1"), new BigDecimal("1000")))) {
      var refused = assertThrows(IllegalArgumentException.class, () -> snapshot.files(wrong));
      assertThat(refused.getMessage(), containsString("of values as rows of the table have them"));
    }
  }

  @Test
  void rangeMustBeginAtOrBeforeItsEnd() {
    var none = assertThrows(IllegalArgumentException.class, () -> new Range(null, 1L));
    var order = assertThrows(IllegalArgumentException.class, () -> new Range(2L, 1L));
    var text =
        assertThrows(IllegalArgumentException.class, () -> new Range("\uD83D\uDE00", "\uFFFD"));
    var types = assertThrows(IllegalArgumentException.class, () -> new Range(1, 2L));
    assertThrows(IllegalArgumentException.class, () -> new Range(new byte[] {-1}, new byte[] {1}));

    assertThat(none.getMessage(), is("Range must have two ends, but one was: null."));
    for (var each : List.of(order, text, types)) {
      assertThat(each.getMessage(), containsString("Range must begin at or before its end"));
    }
  }
}
