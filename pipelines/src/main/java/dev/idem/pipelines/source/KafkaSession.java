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
package dev.idem.pipelines.source;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.io.kafka.KafkaOffsets;
import dev.idem.io.kafka.KafkaRange;
import dev.idem.io.kafka.KafkaSample;
import dev.idem.io.kafka.StableOffset;
import dev.idem.pipelines.decode.JsonSchemaInference;
import dev.idem.pipelines.event.Event;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.KV;
import org.apache.kafka.common.TopicPartition;
import org.checkerframework.checker.nullness.qual.Nullable;

/** The driver's connection to the topics of a job. */
final class KafkaSession implements Source.Session {

  private static final String CLUSTER = "cluster";
  private static final String TOPIC = "topic:";

  private final KafkaConfig config;
  private final List<String> topics;
  private final @Nullable Instant startingInstant;
  private final String startingOffsets;
  private final @Nullable Schema schema;
  private final RecordFormat format;
  private final KafkaOffsets offsets;

  KafkaSession(
      KafkaConfig config,
      List<String> topics,
      @Nullable Instant startingInstant,
      String startingOffsets,
      @Nullable Schema schema,
      RecordFormat format) {
    this.config = config;
    this.topics = topics;
    this.startingInstant = startingInstant;
    this.startingOffsets = startingOffsets;
    this.schema = schema;
    this.format = format;
    this.offsets = KafkaOffsets.connect(config);
  }

  @Override
  public Map<String, String> identity() {
    Map<String, String> identity = new TreeMap<>();
    identity.put(CLUSTER, offsets.clusterId());
    offsets.topicIds(topics).forEach((topic, id) -> identity.put(TOPIC + topic, id));
    return identity;
  }

  @Override
  public List<Source.Position> limits() {
    List<Source.Position> limits = new ArrayList<>();
    offsets
        .lastStable(offsets.partitions(topics))
        .forEach(
            (partition, end) ->
                limits.add(
                    new Source.Position(
                        partition.topic(),
                        partition.partition(),
                        end.offset(),
                        end.leaderEpoch())));
    return sorted(limits);
  }

  @Override
  public List<Source.Position> starts(List<Source.Position> limits) {
    if (startsMove()) {
      return limits;
    }
    if (startingInstant == null) {
      return earliest(limits);
    }
    return positions(offsets.atOrAfter(partitions(limits), startingInstant));
  }

  /** A timestamp's offsets stay: they are found once its first record is there. */
  @Override
  public boolean startsMove() {
    return startingOffsets.equals("latest");
  }

  @Override
  public List<Source.Position> earliest(List<Source.Position> partitions) {
    return partitions.isEmpty() ? List.of() : positions(offsets.earliest(partitions(partitions)));
  }

  @Override
  public void verify(Plan last, List<Source.Position> limits) {
    verifyIdentity(last.source(), identity());
    Map<TopicPartition, Source.Position> ends = new HashMap<>();
    limits.forEach(limit -> ends.put(partition(limit), limit));
    Map<TopicPartition, StableOffset> known = new HashMap<>();
    for (Plan.Range range : last.ranges()) {
      TopicPartition partition = new TopicPartition(range.topic(), range.partition());
      Source.Position end = ends.get(partition);
      if (end == null) {
        throw SourceErrors.partitionGone(range);
      }
      if (end.offset() < range.end()) {
        throw SourceErrors.beyondEnd(range, end.offset());
      }
      known.put(partition, new StableOffset(range.end(), range.leaderEpoch()));
    }
    offsets.checkNotTruncated(known);
  }

  private static void verifyIdentity(Map<String, String> planned, Map<String, String> found) {
    for (Map.Entry<String, String> entry : planned.entrySet()) {
      String now = found.get(entry.getKey());
      if (!entry.getValue().equals(now)) {
        throw entry.getKey().equals(CLUSTER)
            ? SourceErrors.otherCluster(entry.getValue(), now)
            : SourceErrors.otherTopic(
                entry.getKey().substring(TOPIC.length()), entry.getValue(), now);
      }
    }
  }

  @Override
  public Optional<Schema> schema(List<Plan.Range> first, List<Source.Position> limits)
      throws IOException {
    List<KV<byte[], byte[]>> sample = sample(first);
    if (schema != null) {
      RecordFormat.Decoder decoder = format.decoder(schema);
      // A range may hold no record at all: transactions were aborted, or the log was compacted.
      if (!sample.isEmpty() && sample.stream().noneMatch(record -> isRow(decoder, record))) {
        throw SourceErrors.nothingParses(topics);
      }
      return Optional.of(schema);
    }
    if (sample.isEmpty()) {
      sample = sample(upTo(limits, first));
    }
    if (sample.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(format.infer(sample).orElseThrow(() -> SourceErrors.nothingParses(topics)));
  }

  /** Returns keys and values of the first records that there are now. */
  List<KV<byte[], byte[]>> sample() throws IOException {
    List<Source.Position> limits = limits();
    return sample(
        upTo(
            limits,
            earliest(limits).stream()
                .map(
                    start ->
                        new Plan.Range(
                            start.topic(), start.partition(), start.offset(), start.offset(), -1))
                .toList()));
  }

  private List<KV<byte[], byte[]>> sample(List<Plan.Range> ranges) throws IOException {
    return KafkaSample.read(
        config,
        ranges.stream()
            .map(
                range ->
                    new KafkaRange(range.topic(), range.partition(), range.start(), range.end()))
            .toList(),
        JsonSchemaInference.MAX_RECORDS);
  }

  /** Returns what lies behind ranges, up to the limits. */
  private static List<Plan.Range> upTo(List<Source.Position> limits, List<Plan.Range> ranges) {
    Map<TopicPartition, Long> read = new HashMap<>();
    ranges.forEach(
        range -> read.put(new TopicPartition(range.topic(), range.partition()), range.end()));
    return limits.stream()
        .filter(limit -> limit.offset() > read.get(partition(limit)))
        .map(
            limit ->
                new Plan.Range(
                    limit.topic(),
                    limit.partition(),
                    read.get(partition(limit)),
                    limit.offset(),
                    limit.leaderEpoch()))
        .toList();
  }

  private static boolean isRow(RecordFormat.Decoder decoder, KV<byte[], byte[]> record) {
    Event.Origin origin = new Event.Origin("", 0, 0, 0, 0, record.getKey(), record.getValue());
    return decoder.decode(origin).stream().anyMatch(Event::isRow);
  }

  @Override
  public void close() {
    offsets.close();
  }

  private static Set<TopicPartition> partitions(List<Source.Position> positions) {
    return positions.stream().map(KafkaSession::partition).collect(Collectors.toSet());
  }

  private static TopicPartition partition(Source.Position position) {
    return new TopicPartition(position.topic(), position.partition());
  }

  private static List<Source.Position> positions(Map<TopicPartition, Long> offsets) {
    List<Source.Position> positions = new ArrayList<>();
    offsets.forEach(
        (partition, offset) ->
            positions.add(
                new Source.Position(partition.topic(), partition.partition(), offset, -1)));
    return sorted(positions);
  }

  private static List<Source.Position> sorted(List<Source.Position> positions) {
    positions.sort(
        Comparator.comparing(Source.Position::topic).thenComparing(Source.Position::partition));
    return positions;
  }
}
