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
package dev.idem.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A Delta table's log, as somebody else's tools read and write it. */
final class TableLog {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private TableLog() {}

  static Path entry(Path table, long version) {
    return table.resolve("_delta_log").resolve("%020d.json".formatted(version));
  }

  /** Returns the last version that has an entry. */
  static long last(Path table) {
    return Listing.of(table.resolve("_delta_log")).stream()
        .map(file -> file.getFileName().toString())
        .filter(name -> name.matches("\\d{20}\\.json"))
        .mapToLong(name -> Long.parseLong(name.substring(0, 20)))
        .max()
        .orElseThrow();
  }

  /** Returns the data files that a version added. */
  static List<Path> added(Path table, long version) throws IOException {
    List<Path> files = new ArrayList<>();
    for (String line : Files.readAllLines(entry(table, version))) {
      JsonNode path = MAPPER.readTree(line).path("add").path("path");
      if (!path.isMissingNode()) {
        files.add(table.resolve(path.textValue()));
      }
    }
    return files;
  }

  /** Returns the schema that the table was created with. */
  static String schema(Path table) throws IOException {
    for (String line : Files.readAllLines(entry(table, 0))) {
      JsonNode action = MAPPER.readTree(line);
      if (action.has("metaData")) {
        return action.get("metaData").get("schemaString").textValue();
      }
    }
    throw new IllegalStateException("Version 0 must hold the metadata, but does not.");
  }

  /**
   * Does what {@code RESTORE TABLE ... TO VERSION AS OF} does: files added since then are removed,
   * transaction ids stay.
   */
  static void restore(Path table, long to) throws IOException {
    long last = last(table);
    Map<String, JsonNode> added = new LinkedHashMap<>();
    for (long version = to + 1; version <= last; version++) {
      for (String line : Files.readAllLines(entry(table, version))) {
        JsonNode action = MAPPER.readTree(line);
        if (action.has("add")) {
          added.put(action.get("add").get("path").textValue(), action.get("add"));
        }
      }
    }
    List<String> lines = new ArrayList<>();
    ObjectNode info = MAPPER.createObjectNode();
    info.putObject("commitInfo")
        .put("timestamp", 1_800_000_000_000L)
        .put("operation", "RESTORE")
        .set(
            "operationParameters",
            MAPPER.createObjectNode().put("version", Long.toString(to)).putNull("timestamp"));
    lines.add(info.toString());
    added.forEach(
        (path, add) -> {
          ObjectNode removal = MAPPER.createObjectNode();
          ObjectNode remove = removal.putObject("remove");
          remove
              .put("path", path)
              .put("deletionTimestamp", 1_800_000_000_000L)
              .put("dataChange", true)
              .put("extendedFileMetadata", true)
              .put("size", add.get("size").longValue());
          remove.set("partitionValues", add.get("partitionValues"));
          lines.add(removal.toString());
        });
    Files.write(entry(table, last + 1), lines);
  }
}
