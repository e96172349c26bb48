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
package dev.idem.pipelines.inspect;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.checkpoint.BatchCommit;
import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.delta.table.DeltaRecord;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What was found, for programs: names stay, and what is not known is absent. */
final class InspectionJson {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private InspectionJson() {}

  static ObjectNode of(String checkpoint, CheckpointView view, List<TableView> tables) {
    ObjectNode root = MAPPER.createObjectNode().put("checkpoint", checkpoint);
    view.metadata()
        .ifPresent(
            metadata -> {
              root.put("applicationId", metadata.applicationId())
                  .put("epoch", metadata.epoch())
                  .put("created", metadata.created().toString())
                  .put("formatVersion", metadata.formatVersion());
              texts(root.putObject("boundOptions"), metadata.bound());
            });
    view.holder()
        .ifPresent(
            holder ->
                root.putObject("lease")
                    .put("generation", holder.generation())
                    .put("host", holder.owner().host())
                    .put("pid", holder.owner().pid())
                    .put("run", holder.owner().run())
                    .put("acquiredAt", holder.owner().acquiredAt().toString())
                    .put("heartbeat", holder.heartbeat())
                    .put(
                        "state",
                        LeaseHolder.state(holder).name().toLowerCase(java.util.Locale.ROOT)));
    ObjectNode sizes = root.putObject("bytes");
    new TreeMap<>(view.sizes()).forEach(sizes::put);
    view.damage().forEach(root.putArray("damage")::add);
    ArrayNode batches = root.putArray("batches");
    view.batches().forEach(batch -> batch(batches.addObject(), batch));
    if (!tables.isEmpty()) {
      ArrayNode array = root.putArray("tables");
      tables.forEach(table -> table(array.addObject(), table));
    }
    return root;
  }

  private static void batch(ObjectNode node, CheckpointView.Batch batch) {
    node.put("batch", batch.batch()).put("state", InspectionText.state(batch.state()));
    batch.damage().forEach(node.putArray("damage")::add);
    batch.plan().ifPresent(plan -> plan(node, plan));
    batch.commit().ifPresent(commit -> commit(node, commit));
  }

  private static void plan(ObjectNode node, Plan plan) {
    node.put("clock", plan.clock().toString())
        .put("lease", plan.lease())
        .put("planFingerprint", plan.fingerprint())
        .put("shards", plan.shards());
    plan.watermark().ifPresent(watermark -> node.put("watermark", watermark.toString()));
    ArrayNode ranges = node.putArray("offsets");
    for (Plan.Range range : plan.ranges()) {
      ranges
          .addObject()
          .put("topic", range.topic())
          .put("partition", range.partition())
          .put("start", range.start())
          .put("end", range.end());
    }
  }

  private static void commit(ObjectNode node, BatchCommit commit) {
    Summary summary = commit.summary();
    ObjectNode counts = node.putObject("counts");
    new TreeMap<>(summary.counts()).forEach(counts::put);
    ObjectNode outputs = node.putObject("outputs");
    new TreeMap<>(summary.outputs())
        .forEach(
            (name, output) ->
                outputs
                    .putObject(name)
                    .put("rows", output.rows())
                    .put("content", output.content().toString()));
    summary.watermark().ifPresent(watermark -> node.put("watermarkAfter", watermark.toString()));
    ObjectNode durations = node.putObject("milliseconds");
    new TreeMap<>(commit.durations())
        .forEach((phase, duration) -> durations.put(phase, duration.toMillis()));
    node.put("commitShare", commit.commitShare());
    commit.skippedTargets().forEach(node.putArray("skippedTargets")::add);
    texts(node.putObject("notes"), commit.notes());
  }

  private static void table(ObjectNode node, TableView table) {
    node.put("role", table.role().label())
        .put("path", table.path())
        .put("exists", table.state().isPresent());
    table
        .state()
        .ifPresent(state -> node.put("version", state.version()).put("tableId", state.tableId()));
    node.put("rows", table.rows()).put("files", table.files()).put("bytes", table.bytes());
    table.keys().ifPresent(keys -> node.put("keys", keys));
    ArrayNode held = node.putArray("sinks");
    for (DeltaRecord record : table.held()) {
      held.addObject()
          .put("sink", record.sink())
          .put("batch", record.batch())
          .put("epoch", record.epoch())
          .put("planFingerprint", record.plan())
          .put("content", record.content());
    }
    table.problems().forEach(node.putArray("problems")::add);
  }

  private static void texts(ObjectNode node, Map<String, String> texts) {
    new TreeMap<>(texts).forEach(node::put);
  }
}
