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
package dev.idem.io.kafka.publish;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** The records of a progress topic, in JSON. */
final class ProgressCodec {

  private static final int VERSION = 1;
  private static final JsonMapper JSON = new JsonMapper();

  private ProgressCodec() {}

  static byte[] encode(BatchRecord record) {
    ObjectNode node =
        JSON.createObjectNode()
            .put("version", VERSION)
            .put("batch", record.batch())
            .put("fingerprint", record.fingerprint())
            .put("epoch", record.epoch())
            .put("lease", record.lease())
            .put("run", record.run())
            .put("shards", record.shards())
            .put("topicId", record.topicId())
            .put("since", record.since())
            .put("body", record.body())
            .put("closed", record.closed())
            .put("summary", record.summary());
    ArrayNode kept = node.putArray("kept");
    for (BatchRecord.Kept each : record.kept()) {
      kept.addObject()
          .put("batch", each.batch())
          .put("fingerprint", each.fingerprint())
          .put("epoch", each.epoch())
          .put("records", each.records())
          .put("content", each.content());
    }
    return bytes(node);
  }

  static byte[] encode(ShardRecord record) {
    ObjectNode node =
        JSON.createObjectNode()
            .put("version", VERSION)
            .put("batch", record.batch())
            .put("fingerprint", record.fingerprint())
            .put("shards", record.shards())
            .put("records", record.records())
            .put("content", record.content());
    ArrayNode tooLarge = node.putArray("tooLarge");
    record.tooLarge().forEach(tooLarge::add);
    return bytes(node);
  }

  /** Returns a plan's record, or throws what is wrong with it. */
  static BatchRecord batch(byte[] bytes) throws IOException {
    JsonNode node = read(bytes);
    List<BatchRecord.Kept> kept = new ArrayList<>();
    for (JsonNode each : node.required("kept")) {
      kept.add(
          new BatchRecord.Kept(
              number(each, "batch"),
              text(each, "fingerprint"),
              text(each, "epoch"),
              number(each, "records"),
              text(each, "content")));
    }
    return new BatchRecord(
        number(node, "batch"),
        text(node, "fingerprint"),
        text(node, "epoch"),
        number(node, "lease"),
        text(node, "run"),
        Math.toIntExact(number(node, "shards")),
        text(node, "topicId"),
        number(node, "since"),
        text(node, "body"),
        node.required("closed").booleanValue(),
        text(node, "summary"),
        kept);
  }

  /** Returns a shard's record, or throws what is wrong with it. */
  static ShardRecord shard(byte[] bytes) throws IOException {
    JsonNode node = read(bytes);
    List<String> tooLarge = new ArrayList<>();
    node.required("tooLarge").forEach(id -> tooLarge.add(id.textValue()));
    return new ShardRecord(
        number(node, "batch"),
        text(node, "fingerprint"),
        Math.toIntExact(number(node, "shards")),
        number(node, "records"),
        text(node, "content"),
        tooLarge);
  }

  private static JsonNode read(byte[] bytes) throws IOException {
    JsonNode node = bytes == null ? null : JSON.readTree(bytes);
    if (node == null || !node.isObject()) {
      throw new IOException("no JSON object");
    }
    long version = number(node, "version");
    if (version != VERSION) {
      throw new IOException("of format version " + version + ", and " + VERSION + " is known");
    }
    return node;
  }

  private static long number(JsonNode node, String name) {
    JsonNode value = node.required(name);
    if (!value.isIntegralNumber()) {
      throw new IllegalArgumentException("field \"" + name + "\" is no number");
    }
    return value.longValue();
  }

  private static String text(JsonNode node, String name) {
    JsonNode value = node.required(name);
    if (!value.isTextual()) {
      throw new IllegalArgumentException("field \"" + name + "\" is no text");
    }
    return value.textValue();
  }

  private static byte[] bytes(ObjectNode node) {
    try {
      return JSON.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Progress record must be written as JSON.", e);
    }
  }
}
