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

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.delta.file.DataFile;
import dev.idem.transforms.fingerprint.ContentSum;
import java.util.ArrayList;
import java.util.List;

/** What one bundle wrote: its files and the sum over its rows. */
record Manifest(List<DataFile> files, ContentSum content) {

  private static final JsonMapper JSON = new JsonMapper();

  String toJson() {
    ObjectNode node = JSON.createObjectNode().put("content", content.toString());
    ArrayNode array = node.putArray("files");
    files.forEach(file -> array.add(file.toJson()));
    return node.toString();
  }

  static Manifest fromJson(String json) {
    JsonNode node;
    try {
      node = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Manifest must be JSON as toJson() writes it.", e);
    }
    List<DataFile> files = new ArrayList<>();
    node.path("files").forEach(file -> files.add(DataFile.fromJson(file.asText())));
    return new Manifest(files, ContentSum.parse(node.path("content").asText()));
  }

  /** Returns both manifests as one. */
  Manifest plus(Manifest other) {
    List<DataFile> all = new ArrayList<>(files);
    all.addAll(other.files);
    return new Manifest(all, content.plus(other.content));
  }

  long rows() {
    return files.stream().mapToLong(DataFile::rows).sum();
  }
}
