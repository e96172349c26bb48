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
package dev.idem.pipelines.stage;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.debezium.SourcePositions;
import dev.idem.io.delta.file.DataFile;
import dev.idem.pipelines.event.Event;
import dev.idem.transforms.fingerprint.ContentSum;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a part of a batch wrote: files, rows and content by output, counts, the greatest event time
 * of each partition, and positions in the source's log. The parts' manifests add up to the batch's.
 */
public final class Manifest {

  /** One topic partition. */
  public record Partition(String topic, int number) {}

  /** What was written for one output. */
  public static final class Written {
    final List<DataFile> files = new ArrayList<>();
    final List<String> changes = new ArrayList<>();
    long rows;
    ContentSum content = ContentSum.EMPTY;

    /** Returns the files, in a list of the caller's own. */
    public List<DataFile> files() {
      return new ArrayList<>(files);
    }

    /** Returns the files in the staging directory that hold the rows as changes. */
    public List<String> changes() {
      return List.copyOf(changes);
    }

    /** Returns how many rows there are, written or, where the target holds them, summed up. */
    public long rows() {
      return rows;
    }

    /** Returns the sum of the rows' content. */
    public ContentSum content() {
      return content;
    }
  }

  private static final ObjectMapper MAPPER = new ObjectMapper();

  final Map<String, Written> outputs = new TreeMap<>();
  final Map<String, Long> counts = new TreeMap<>();
  final Map<Partition, Long> greatest = new HashMap<>();
  final SourcePositions positions = new SourcePositions();

  /** Returns what was written, by output. */
  public Map<String, Written> outputs() {
    return Collections.unmodifiableMap(outputs);
  }

  /** Returns the counts, by the names that {@link Counts} has. */
  public Map<String, Long> counts() {
    return Collections.unmodifiableMap(counts);
  }

  /** Returns a count; 0 if nothing was counted. */
  public long count(String name) {
    return counts.getOrDefault(name, 0L);
  }

  /** Returns the greatest event time of each partition that gave one, in milliseconds. */
  public Map<Partition, Long> greatest() {
    return Collections.unmodifiableMap(greatest);
  }

  /** Returns where in the source's own log records are from, if it said. */
  public SourcePositions positions() {
    return positions;
  }

  Written output(String name) {
    return outputs.computeIfAbsent(name, unused -> new Written());
  }

  /** Adds to a count. */
  public void count(String name, long more) {
    counts.merge(name, more, Long::sum);
  }

  void saw(Partition partition, long eventTime) {
    greatest.merge(partition, eventTime, Math::max);
  }

  void saw(Event.Origin origin) {
    positions.add(origin.topic() + "-" + origin.partition(), origin.offset(), origin.position());
  }

  /** Adds what another part of the batch wrote and counted. */
  public void add(Manifest part) {
    part.outputs.forEach(
        (name, written) -> {
          Written sum = output(name);
          sum.files.addAll(written.files);
          sum.changes.addAll(written.changes);
          sum.rows += written.rows;
          sum.content = sum.content.plus(written.content);
        });
    part.counts.forEach(this::count);
    part.greatest.forEach(this::saw);
    positions.merge(part.positions);
  }

  String toJson() {
    ObjectNode root = MAPPER.createObjectNode();
    ObjectNode outputNode = root.putObject("outputs");
    outputs.forEach(
        (name, written) -> {
          ObjectNode node = outputNode.putObject(name);
          node.put("rows", written.rows).put("content", written.content.toString());
          var files = node.putArray("files");
          written.files.forEach(file -> files.add(file.toJson()));
          var changes = node.putArray("changes");
          written.changes.forEach(changes::add);
        });
    ObjectNode countNode = root.putObject("counts");
    counts.forEach(countNode::put);
    var greatestNode = root.putArray("greatest");
    greatest.forEach(
        (partition, time) ->
            greatestNode
                .addObject()
                .put("topic", partition.topic())
                .put("partition", partition.number())
                .put("time", time));
    root.put("positions", positions.toJson());
    return root.toString();
  }

  static Manifest fromJson(String json) {
    Manifest manifest = new Manifest();
    JsonNode root;
    try {
      root = MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Manifest must be JSON, but could not be read.", e);
    }
    root.get("outputs")
        .properties()
        .forEach(
            field -> {
              Written written = manifest.output(field.getKey());
              written.rows = field.getValue().get("rows").longValue();
              written.content = ContentSum.parse(field.getValue().get("content").textValue());
              field
                  .getValue()
                  .get("files")
                  .forEach(file -> written.files.add(DataFile.fromJson(file.textValue())));
              field
                  .getValue()
                  .get("changes")
                  .forEach(file -> written.changes.add(file.textValue()));
            });
    root.get("counts")
        .properties()
        .forEach(field -> manifest.count(field.getKey(), field.getValue().longValue()));
    root.get("greatest")
        .forEach(
            node ->
                manifest.saw(
                    new Partition(node.get("topic").textValue(), node.get("partition").intValue()),
                    node.get("time").longValue()));
    manifest.positions.merge(SourcePositions.fromJson(root.get("positions").textValue()));
    return manifest;
  }
}
