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

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.Serializable;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A data file that is written and forced; it belongs to its table once a commit adds it.
 *
 * @param path the path relative to the table, URI-encoded as in the log
 * @param size the size in bytes
 * @param modificationTime milliseconds since 1970
 * @param partitionValues the partition values in the Delta protocol's text form; a value may be
 *     null
 * @param stats the statistics as Delta writes them in JSON, empty if there are none
 * @param rows the number of rows, -1 if unknown
 */
public record DataFile(
    String path,
    long size,
    long modificationTime,
    Map<String, String> partitionValues,
    String stats,
    long rows)
    implements Serializable {

  private static final JsonMapper JSON = new JsonMapper();

  /** Takes a copy of the partition values. */
  public DataFile {
    partitionValues = Collections.unmodifiableMap(new LinkedHashMap<>(partitionValues));
  }

  /** Returns this file as JSON, for {@link #fromJson}. */
  public String toJson() {
    ObjectNode node =
        JSON.createObjectNode()
            .put("path", path)
            .put("size", size)
            .put("modificationTime", modificationTime)
            .put("stats", stats)
            .put("rows", rows);
    ObjectNode values = node.putObject("partitionValues");
    partitionValues.forEach(values::put);
    return node.toString();
  }

  /**
   * Returns the file that {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException if it is not such JSON
   */
  public static DataFile fromJson(String json) {
    JsonNode node;
    try {
      node = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Data file must be JSON as toJson() writes it.", e);
    }
    Map<String, String> values = new LinkedHashMap<>();
    node.path("partitionValues")
        .fields()
        .forEachRemaining(
            e -> values.put(e.getKey(), e.getValue().isNull() ? null : e.getValue().asText()));
    if (!node.path("path").isTextual()) {
      throw new IllegalArgumentException("Data file must have a path, but was: none.");
    }
    return new DataFile(
        node.path("path").asText(),
        node.path("size").asLong(),
        node.path("modificationTime").asLong(),
        values,
        node.path("stats").asText(),
        node.path("rows").asLong(-1));
  }
}
