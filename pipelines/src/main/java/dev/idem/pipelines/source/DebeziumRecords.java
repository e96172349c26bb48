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

import dev.idem.io.debezium.DebeziumDecoder;
import dev.idem.io.debezium.DebeziumDecoder.UnknownColumns;
import dev.idem.io.debezium.DebeziumInference;
import dev.idem.io.debezium.DebeziumTable;
import dev.idem.io.debezium.DecodedEvent;
import dev.idem.io.debezium.PositionWentBack;
import dev.idem.io.debezium.SchemaRegistry;
import dev.idem.io.debezium.SourcePositions;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.event.Event;
import dev.idem.transforms.changes.ApplyChanges;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.KV;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Change events of one table, as Debezium sends them.
 *
 * <p>An event is one change, or two if it moves a row to another key; a record without a value,
 * which follows a delete, is none and counts as left out.
 *
 * @param keys the columns that identify a row
 * @param connector which of Debezium's connectors sends the events; empty if columns order them
 * @param sequenceBy columns of the table that order changes; none for positions in the log
 */
record DebeziumRecords(
    @Nullable SchemaRegistry registry,
    List<String> keys,
    String connector,
    List<String> sequenceBy,
    Rules rules)
    implements RecordFormat {

  static final String KEYS = "keyColumns";
  static final String CONNECTOR = "connector";

  /**
   * How events are read.
   *
   * @param truncates whether an event may empty the table
   * @param unit of timestamps that come as numbers without a schema, null if there are none
   * @param whenEarlier whether a position that goes back ends the job
   */
  record Rules(
      UnknownColumns unknownColumns,
      boolean truncates,
      boolean incompleteRows,
      @Nullable ChronoUnit unit,
      boolean decimalsAsText,
      boolean truncateNanoseconds,
      @Nullable String unavailableValue,
      OnEarlierPosition whenEarlier) {}

  /** What a position that goes back does. */
  enum OnEarlierPosition {
    /** It ends the job. */
    REFUSE,
    /** It is noted, and positions are followed from there. */
    CONTINUE
  }

  DebeziumRecords {
    keys = List.copyOf(keys);
    sequenceBy = List.copyOf(sequenceBy);
  }

  /** Returns what finds out columns, keys and connector. */
  static DebeziumInference inference(@Nullable SchemaRegistry registry) {
    return registry == null ? DebeziumInference.json() : DebeziumInference.avro(registry);
  }

  @Override
  public Map<String, String> boundOptions() {
    return Map.of("format", "debezium", KEYS, String.join(",", keys), CONNECTOR, connector);
  }

  @Override
  public Map<String, String> contentOptions() {
    Map<String, String> options = new TreeMap<>();
    options.put("unknownFields", label(rules.unknownColumns()));
    options.put("incompleteRows", Boolean.toString(rules.incompleteRows()));
    options.put("timestampUnit", rules.unit() == null ? "" : label(rules.unit()));
    options.put("decimalsAsText", Boolean.toString(rules.decimalsAsText()));
    options.put("truncateNanoseconds", Boolean.toString(rules.truncateNanoseconds()));
    options.put(
        "unavailableValue", rules.unavailableValue() == null ? "" : rules.unavailableValue());
    return options;
  }

  private static String label(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  @Override
  public Optional<Schema> infer(List<KV<byte[], byte[]>> sample) {
    DebeziumInference inference = inference(registry);
    sample.forEach(record -> inference.add(record.getKey(), record.getValue()));
    return inference.parsed() == 0 ? Optional.empty() : Optional.of(inference.table().columns());
  }

  @Override
  public Decoder decoder(Schema schema) {
    return new Changes(decodes(schema));
  }

  /** Returns the changes of the table, whatever columns it has. */
  ApplyChanges changes() {
    return decodes(keysAlone()).changes();
  }

  /** Returns the columns of changes that are none of the table. */
  List<String> ownColumns() {
    return decodes(keysAlone()).ownColumns();
  }

  private Schema keysAlone() {
    Schema.Builder columns = Schema.builder();
    List<String> all = new ArrayList<>(keys);
    all.addAll(sequenceBy);
    all.stream()
        .distinct()
        .forEach(column -> columns.addNullableField(column, Schema.FieldType.STRING));
    return columns.build();
  }

  private DebeziumDecoder decodes(Schema columns) {
    DebeziumTable table = new DebeziumTable(columns, keys, connector);
    String[] sequence = sequenceBy.toArray(String[]::new);
    DebeziumDecoder decoder =
        (registry == null
                ? DebeziumDecoder.json(table, sequence)
                : DebeziumDecoder.avro(table, registry, sequence))
            .withUnknownColumns(rules.unknownColumns());
    decoder = rules.truncates() ? decoder : decoder.refuseTruncates();
    decoder = rules.incompleteRows() ? decoder.acceptIncompleteRows() : decoder;
    decoder = rules.unit() == null ? decoder : decoder.withUnit(rules.unit());
    decoder = rules.decimalsAsText() ? decoder.withDecimalsAsText() : decoder;
    decoder = rules.truncateNanoseconds() ? decoder.truncateNanoseconds() : decoder;
    return rules.unavailableValue() == null
        ? decoder
        : decoder.withUnavailableValue(rules.unavailableValue());
  }

  @Override
  public String follow(String before, SourcePositions found, BiConsumer<String, String> notes) {
    SourcePositions all =
        before.isEmpty() ? new SourcePositions() : SourcePositions.fromJson(before);
    all.merge(found);
    Optional<PositionWentBack> back = all.wentBack(SourcePositions.DEFAULT_TOLERANCE);
    if (back.isEmpty()) {
      return all.settled().toJson();
    }
    if (rules.whenEarlier() == OnEarlierPosition.REFUSE) {
      throw SourceErrors.wentBack(back.get());
    }
    notes.accept("position that went back", back.get().toString());
    return found.settled().toJson();
  }

  private record Changes(DebeziumDecoder decoder) implements Decoder {
    @Override
    public Schema schema() {
      return decoder.schema();
    }

    @Override
    public List<Event> decode(Event.Origin record) {
      DecodedEvent decoded = decoder.decode(record.key(), record.value());
      if (decoded instanceof DecodedEvent.Changes changes) {
        List<Event> events = new ArrayList<>(changes.rows().size());
        changes
            .rows()
            .forEach(
                row ->
                    events.add(
                        Event.decoded(record.change(events.size(), changes.position()), row)));
        return events;
      }
      return List.of(
          decoded instanceof DecodedEvent.Refused refused
              ? Event.refused(
                  record,
                  new Decoded.Refused(reason(refused.reason()), refused.column(), refused.rule()))
              : Event.leftOut(record));
    }

    private static Reason reason(DecodedEvent.Reason reason) {
      return switch (reason) {
        case PARSE_ERROR -> Reason.PARSE_ERROR;
        case MISSING_FIELD -> Reason.MISSING_FIELD;
        case NULL_KEY -> Reason.NULL_KEY;
      };
    }
  }
}
