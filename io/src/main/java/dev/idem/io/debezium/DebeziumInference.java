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
package dev.idem.io.debezium;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Finds out what the events of a table look like, from some of them: its columns, its keys and the
 * connector.
 *
 * <p>Columns are those of all events, in the order in which they were first seen, with the types
 * that the events' schemas say; two types of one column are refused. Of events without schemas the
 * values decide: whole numbers become long, others double, true and false boolean, all else text
 * (so dates, timestamps and bytes stay the numbers and the base64 that they came as); a column with
 * several becomes the type that holds all. Keys are the columns of the records' keys.
 *
 * <p>The same records in the same order give the same answer. Records that are no events are passed
 * over, here; the decoder says of each what is wrong.
 */
public final class DebeziumInference {

  /** The type of a column of which only null was seen; no column has it. */
  private static final FieldType UNKNOWN = FieldType.row(Schema.of());

  private final EventFormat format;
  private final Map<String, FieldType> columns = new LinkedHashMap<>();
  private @Nullable List<String> keys;
  private @Nullable String connector;
  private int parsed;

  private DebeziumInference(EventFormat format) {
    this.format = format;
  }

  /** Returns an inference from events in JSON, with schemas or without. */
  public static DebeziumInference json() {
    return new DebeziumInference(new JsonFormat());
  }

  /** Returns an inference from events in Avro, whose schemas are in a registry. */
  public static DebeziumInference avro(SchemaRegistry registry) {
    return new DebeziumInference(new AvroFormat(registry));
  }

  /**
   * Takes one record into account.
   *
   * @throws IllegalArgumentException if it contradicts one before
   * @throws SchemaRegistryException if schemas cannot be read
   */
  public void add(byte @Nullable [] key, byte @Nullable [] value) {
    if (value == null) {
      return;
    }
    try {
      Map<String, Object> event = format.read(value);
      if (event == null) {
        return;
      }
      Envelope envelope = Envelope.of(event);
      addConnector(Connector.text(envelope.source(), "connector"));
      ConnectSchema schema = format.schema(value);
      if (schema != null) {
        addColumns(schema);
      } else {
        addValues(envelope.before());
        addValues(envelope.after());
      }
      addKeys(key);
      parsed++;
    } catch (BadEventException e) {
      return; // The decoder refuses it when it comes to it.
    }
  }

  private void addConnector(String name) {
    if (connector != null && !connector.equals(name)) {
      throw DebeziumErrors.twoConnectors(connector, name);
    }
    connector = name;
  }

  private void addColumns(ConnectSchema envelope) {
    ConnectSchema row =
        Optional.ofNullable(envelope.fields().get("after")).orElse(envelope.fields().get("before"));
    if (row == null) {
      return;
    }
    for (Field field : row.columns().getFields()) {
      FieldType type = field.getType();
      FieldType known = columns.putIfAbsent(field.getName(), type);
      if (known != null && !known.equals(type)) {
        throw DebeziumErrors.twoTypes(field.getName(), known, type);
      }
    }
  }

  private void addValues(@Nullable Map<String, Object> row) {
    if (row != null) {
      row.forEach((column, value) -> columns.merge(column, type(value), DebeziumInference::both));
    }
  }

  private static FieldType type(@Nullable Object value) {
    if (value == null) {
      return UNKNOWN;
    }
    JsonNode json = (JsonNode) value;
    if (json.isBoolean()) {
      return FieldType.BOOLEAN;
    }
    if (json.isIntegralNumber() && json.canConvertToLong()) {
      return FieldType.INT64;
    }
    return json.isFloatingPointNumber() ? FieldType.DOUBLE : FieldType.STRING;
  }

  private static FieldType both(FieldType first, FieldType second) {
    if (first.equals(second) || second.equals(UNKNOWN)) {
      return first;
    }
    if (first.equals(UNKNOWN)) {
      return second;
    }
    return first.getTypeName().isNumericType() && second.getTypeName().isNumericType()
        ? FieldType.DOUBLE
        : FieldType.STRING;
  }

  private void addKeys(byte @Nullable [] key) {
    Map<String, Object> struct = key == null ? null : structOrNull(key);
    if (struct == null) {
      return;
    }
    List<String> found = new ArrayList<>(struct.keySet());
    if (keys != null && !keys.equals(found)) {
      throw DebeziumErrors.twoKeys(keys, found);
    }
    keys = found;
  }

  /** A key that is written otherwise names no columns; the keys must be said then. */
  private @Nullable Map<String, Object> structOrNull(byte[] key) {
    try {
      return format.read(key);
    } catch (BadEventException e) {
      return null;
    }
  }

  /** Returns how many records were events. */
  public int parsed() {
    return parsed;
  }

  /**
   * Returns the table. Its keys are none if no record had a key; {@link DebeziumTable#withKeys}
   * says them.
   *
   * @throws IllegalStateException if no record was an event
   */
  public DebeziumTable table() {
    if (connector == null) {
      throw DebeziumErrors.noEvents();
    }
    Schema.Builder schema = Schema.builder();
    columns.forEach(
        (name, type) ->
            schema.addNullableField(name, type.equals(UNKNOWN) ? FieldType.STRING : type));
    return new DebeziumTable(schema.build(), keys == null ? List.of() : keys, connector);
  }
}
