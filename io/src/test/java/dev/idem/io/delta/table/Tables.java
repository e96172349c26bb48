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
package dev.idem.io.delta.table;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/** Small tables, and what their logs say. */
public final class Tables {

  /** Structs, arrays and maps in one another, three deep. */
  public static final String NESTED =
      struct(
          column("id", "\"long\"", false),
          column(
              "s",
              struct(
                  column("a", "\"string\"", true),
                  column(
                      "t",
                      struct(
                          column("d", "\"decimal(20,5)\"", true),
                          column("u", struct(column("at", "\"timestamp\"", true)), true)),
                      true)),
              true),
          column("grid", array(array(array("\"short\"", true), true), true), true),
          column(
              "orders",
              array(
                  struct(
                      column("sku", "\"string\"", false),
                      column("prices", map("\"string\"", "\"double\"", true), true)),
                  true),
              true),
          column(
              "m",
              map("\"integer\"", map("\"date\"", array("\"binary\"", true), true), true),
              true));

  /** The schema of {@link #order}. */
  public static final String ORDERS =
      "{\"type\":\"struct\",\"fields\":["
          + "{\"name\":\"id\",\"type\":\"long\",\"nullable\":false,\"metadata\":{}},"
          + "{\"name\":\"name\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}}]}";

  private static final JsonMapper JSON = new JsonMapper();

  private Tables() {}

  /** Returns the table at a path. */
  public static DeltaTable table(Path path) {
    return DeltaTable.at(path.toString(), Map.of());
  }

  /** Returns a row of {@link #ORDERS}. */
  public static Row order(long id, String name) {
    return Row.withSchema(DeltaSchemas.parse(ORDERS)).addValues(id, name).build();
  }

  /** Writes rows into files that no commit has added yet. */
  public static List<DataFile> write(DataFileSpec spec, Row... rows) throws IOException {
    try (DataFileWriter writer = DataFileWriter.open(spec)) {
      for (Row row : rows) {
        writer.write(row);
      }
      return writer.finish();
    }
  }

  /** Writes a row of {@link #ORDERS} for each name. */
  public static List<DataFile> orders(Path table, String... names) throws IOException {
    Row[] rows = Arrays.stream(names).map(name -> order(name.hashCode(), name)).toArray(Row[]::new);
    return write(DataFileSpec.of(table.toString(), ORDERS), rows);
  }

  /** Appends rows without a batch id, with a column for each field of theirs. */
  public static void append(Path table, Schema schema, Row... rows) throws IOException {
    DataFileSpec spec =
        table(table).fitted(DataFileSpec.of(table.toString(), DeltaSchemas.toJson(schema)));
    table(table).append(spec.schemaJson(), List.of(), write(spec, rows));
  }

  /** Returns a commit whose plan and content are made of its rows. */
  public static DeltaCommit commit(Path table, String sink, long batch, String... names)
      throws IOException {
    String content = Integer.toHexString(Arrays.hashCode(names));
    return DeltaCommit.of(sink, batch, "plan-" + batch, content, ORDERS)
        .withFiles(orders(table, names));
  }

  /** Returns the names that a table holds, in order. */
  public static List<String> names(Path table) {
    return DeltaRows.read(table.toString()).select("name").toList().stream()
        .map(row -> row.getString("name"))
        .sorted()
        .toList();
  }

  /** Returns where the log entry of a version is. */
  public static Path entry(Path table, long version) {
    return table.resolve("_delta_log").resolve(String.format("%020d.json", version));
  }

  /** Returns the actions of one kind in a version. */
  public static List<JsonNode> actions(Path table, long version, String action) throws IOException {
    List<JsonNode> found = new ArrayList<>();
    for (String line : Files.readAllLines(entry(table, version))) {
      JsonNode node = JSON.readTree(line);
      if (node.has(action)) {
        found.add(node.get(action));
      }
    }
    return found;
  }

  /** Returns the log entries of a table, in order. */
  public static List<Path> entries(Path table) throws IOException {
    try (Stream<Path> files = Files.list(table.resolve("_delta_log"))) {
      return files
          .filter(f -> f.getFileName().toString().matches("\\d{20}\\.json"))
          .sorted()
          .toList();
    }
  }

  /** Returns the data files below a table, whether or not it holds them. */
  public static List<Path> dataFiles(Path table) throws IOException {
    try (Stream<Path> files = Files.walk(table)) {
      return files
          .filter(f -> f.getFileName().toString().endsWith(".parquet"))
          .filter(f -> !f.startsWith(table.resolve("_delta_log")))
          .sorted()
          .toList();
    }
  }

  /** Runs tasks in threads that begin together. */
  public static <T> List<T> atOnce(List<Callable<T>> tasks) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      CyclicBarrier barrier = new CyclicBarrier(tasks.size());
      List<Future<T>> futures = new ArrayList<>();
      for (Callable<T> task : tasks) {
        futures.add(
            threads.submit(
                () -> {
                  barrier.await();
                  return task.call();
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  /** Returns the schema of fields such as {@code "id long not"}. */
  public static String schema(String... fields) {
    List<String> json = new ArrayList<>();
    for (String field : fields) {
      List<String> parts = List.of(field.split(" ", -1));
      json.add(
          String.format(
              "{\"name\":\"%s\",\"type\":\"%s\",\"nullable\":%s,\"metadata\":{}}",
              parts.get(0), parts.get(1), parts.size() < 3));
    }
    return "{\"type\":\"struct\",\"fields\":[" + String.join(",", json) + "]}";
  }

  /** A table's schema, or the type of a column with columns in it. */
  public static String struct(String... columns) {
    return "{\"type\":\"struct\",\"fields\":[" + String.join(",", columns) + "]}";
  }

  /** Returns a column, whose type is JSON. */
  public static String column(String name, String type, boolean nullable) {
    return "{\"name\":\"%s\",\"type\":%s,\"nullable\":%s,\"metadata\":{}}"
        .formatted(name, type, nullable);
  }

  /** Returns the type of an array. */
  public static String array(String element, boolean nullable) {
    return "{\"type\":\"array\",\"elementType\":%s,\"containsNull\":%s}"
        .formatted(element, nullable);
  }

  /** Returns the type of a map. */
  public static String map(String key, String value, boolean nullable) {
    return "{\"type\":\"map\",\"keyType\":%s,\"valueType\":%s,\"valueContainsNull\":%s}"
        .formatted(key, value, nullable);
  }
}
