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
import dev.idem.io.debezium.SourcePositions;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.io.kafka.KafkaRange;
import dev.idem.io.kafka.ReadKafkaRanges;
import dev.idem.pipelines.decode.JsonRowDecoder.UnknownFields;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import dev.idem.pipelines.event.MetadataColumns;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Kafka topics, read by exact ranges of offsets.
 *
 * <p>Every batch reads the offsets that its plan names and no others, up to the last stable offset,
 * in {@code read_committed}. Consumer groups are not used; the checkpoint holds the position.
 */
public final class KafkaSource implements Source {

  private final KafkaConfig config;
  private final List<String> topics;
  private final String startingOffsets;
  private final @Nullable Schema schema;
  private final RecordFormat format;
  private final @Nullable String eventTimeColumn;
  private final List<MetadataColumns> metadata;

  private KafkaSource(
      KafkaConfig config,
      List<String> topics,
      String startingOffsets,
      @Nullable Schema schema,
      RecordFormat format,
      @Nullable String eventTimeColumn,
      List<MetadataColumns> metadata) {
    this.config = config;
    this.topics = topics;
    this.startingOffsets = startingOffsets;
    this.schema = schema;
    this.format = format;
    this.eventTimeColumn = eventTimeColumn;
    this.metadata = metadata;
  }

  /**
   * Returns a source that reads whole topics from their start; the schema is inferred from the
   * first batch's records and kept.
   */
  public static KafkaSource topics(KafkaConfig config, String... topics) {
    if (topics.length == 0) {
      throw new IllegalArgumentException("Topics must be named, but there are none.");
    }
    return new KafkaSource(
        config,
        Arrays.stream(topics).sorted().distinct().toList(),
        "earliest",
        null,
        new JsonRecords(UnknownFields.DEAD_LETTER),
        null,
        List.of());
  }

  /** Gives the records' schema; without it, it is inferred. */
  public KafkaSource withSchema(Schema recordSchema) {
    return new KafkaSource(
        config, topics, startingOffsets, recordSchema, format, eventTimeColumn, metadata);
  }

  /** Gives the records' schema as Delta schema JSON; it keeps the precision of decimals. */
  public KafkaSource withDeltaSchema(String deltaSchema) {
    return withSchema(DeltaSchemas.parse(deltaSchema));
  }

  /**
   * Takes the event time from a column: a timestamp, ISO 8601 text with an offset, or whole
   * milliseconds. The default is the record's own timestamp.
   */
  public KafkaSource withEventTime(String column) {
    return new KafkaSource(config, topics, startingOffsets, schema, format, column, metadata);
  }

  /** Says what becomes of fields that the schema does not name; the default is a dead letter. */
  public KafkaSource withUnknownFields(UnknownFields treatment) {
    return withFormat(new JsonRecords(treatment));
  }

  /** Says what the records are; the default is one JSON object each, which is a row. */
  KafkaSource withFormat(RecordFormat other) {
    return new KafkaSource(
        config, topics, startingOffsets, schema, other, eventTimeColumn, metadata);
  }

  /** Returns keys and values of the first records that the topics have now. */
  List<KV<byte[], byte[]>> sample() throws IOException {
    try (KafkaSession session = session()) {
      return session.sample();
    }
  }

  /**
   * Says where the first batch begins: {@code earliest} (the default), {@code latest} or {@code
   * timestamp:} with an ISO 8601 instant. Later batches begin where the last one ended.
   *
   * <p>What {@code latest} is, the first start of a job finds and its checkpoint keeps: all that is
   * sent after it is read, also by a later start. A timestamp that is later than every record waits
   * for the first one that is not earlier.
   */
  public KafkaSource withStartingOffsets(String offsets) {
    boolean known = offsets.equals("earliest") || offsets.equals("latest");
    if (!known) {
      startingInstant(offsets);
    }
    return new KafkaSource(config, topics, offsets, schema, format, eventTimeColumn, metadata);
  }

  /**
   * Appends columns that say where a row came from: topic, partition, offset, timestamp, key,
   * headers, batch_id. Their names in the table begin with an underscore.
   */
  public KafkaSource withMetadataColumns(String... columns) {
    return new KafkaSource(
        config,
        topics,
        startingOffsets,
        schema,
        format,
        eventTimeColumn,
        Arrays.stream(columns).map(MetadataColumns::parse).distinct().toList());
  }

  private static Instant startingInstant(String offsets) {
    String prefix = "timestamp:";
    if (offsets.startsWith(prefix)) {
      try {
        return Instant.parse(offsets.substring(prefix.length()));
      } catch (DateTimeException e) {
        // Falls through to the refusal that says what would do.
      }
    }
    throw new IllegalArgumentException(
        "Starting offsets must be earliest, latest or timestamp: with an ISO 8601 instant, but was: \""
            + offsets
            + "\".");
  }

  @Override
  public List<String> names() {
    return topics;
  }

  @Override
  public Map<String, String> boundOptions() {
    Map<String, String> options = new TreeMap<>(format.boundOptions());
    options.put("eventTime", eventTimeColumn == null ? "" : eventTimeColumn);
    return options;
  }

  @Override
  public Map<String, String> contentOptions() {
    Map<String, String> options = new TreeMap<>(format.contentOptions());
    options.put(
        "metadataColumns",
        String.join(",", metadata.stream().map(MetadataColumns::column).toList()));
    return options;
  }

  @Override
  public Session connect() {
    return session();
  }

  private KafkaSession session() {
    return new KafkaSession(config, topics, instantOrNull(), startingOffsets, schema, format);
  }

  private @Nullable Instant instantOrNull() {
    return startingOffsets.startsWith("timestamp:") ? startingInstant(startingOffsets) : null;
  }

  @Override
  public @Nullable Schema givenSchema() {
    return schema;
  }

  @Override
  public Schema rowSchema(Schema decoded) {
    return MetadataColumns.append(format.decoder(decoded).schema(), metadata);
  }

  @Override
  public PCollection<Event> read(Pipeline pipeline, Plan plan, Schema decoded) {
    List<KafkaRange> ranges = new ArrayList<>();
    for (Plan.Range range : plan.ranges()) {
      ranges.add(new KafkaRange(range.topic(), range.partition(), range.start(), range.end()));
    }
    return pipeline.apply(
        "ReadRanges",
        ReadKafkaRanges.of(ranges)
            .withConsumerConfig(config)
            .map(decoding(plan, decoded), EventCoder.of(rowSchema(decoded))));
  }

  @Override
  public DoFn<Row, Event> decodingAgain(Plan plan, Schema decoded) {
    return new DecodeDeadLetter(decoding(plan, decoded));
  }

  @Override
  public String follow(String before, SourcePositions found, BiConsumer<String, String> notes) {
    return format.follow(before, found, notes);
  }

  private DecodeRecord decoding(Plan plan, Schema decoded) {
    return new DecodeRecord(
        format.decoder(decoded), eventTimeColumn, metadata, rowSchema(decoded), plan.batch());
  }
}
