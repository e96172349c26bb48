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
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.debezium.Samples.Sample;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.JsonProperties;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Writes events that came as JSON with a schema as Confluent's Avro converter does: records named
 * as structs are, {@code connect.name}, {@code connect.type} and {@code connect.parameters} for
 * what Avro cannot say.
 */
public final class AvroEvents {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final FakeRegistry registry;
  private final Map<Schema, Integer> ids = new HashMap<>();

  /** Makes a writer that adds schemas to a registry. */
  public AvroEvents(FakeRegistry registry) {
    this.registry = registry;
  }

  /** Returns the record in Avro of one in JSON with a schema. */
  public Sample write(Sample sample) throws IOException {
    return new Sample(write(sample.key()), write(sample.value()));
  }

  private byte @Nullable [] write(byte @Nullable [] bytes) throws IOException {
    if (bytes == null) {
      return null;
    }
    JsonNode json = MAPPER.readTree(bytes);
    Schema schema = schema(json.path("schema"), new HashMap<>());
    int id = ids.computeIfAbsent(schema, each -> registry.add(each.toString()));
    return framed(id, schema, datum(json.path("payload"), json.path("schema"), schema));
  }

  static byte[] framed(int id, Schema schema, Object datum) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(0);
    out.write(ByteBuffer.allocate(Integer.BYTES).putInt(id).array());
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    new GenericDatumWriter<>(schema).write(datum, encoder);
    encoder.flush();
    return out.toByteArray();
  }

  private static Schema schema(JsonNode connect, Map<String, Schema> records) {
    Schema type = plain(connect, records);
    return connect.path("optional").asBoolean()
        ? Schema.createUnion(Schema.create(Schema.Type.NULL), type)
        : type;
  }

  private static Schema plain(JsonNode connect, Map<String, Schema> records) {
    String name = connect.path("name").asText();
    Schema known = records.get(name);
    if (known != null) {
      return known;
    }
    Schema type = bare(connect, records);
    String kind = connect.path("type").asText();
    if (kind.equals("int8") || kind.equals("int16")) {
      type.addProp("connect.type", kind);
    }
    if (!name.isEmpty()) {
      type.addProp("connect.name", name);
      Map<String, String> parameters = new HashMap<>();
      connect
          .path("parameters")
          .properties()
          .forEach(entry -> parameters.put(entry.getKey(), entry.getValue().asText()));
      if (!parameters.isEmpty()) {
        type.addProp("connect.parameters", parameters);
      }
      if (name.equals(ConnectSchema.DECIMAL)) {
        int precision =
            Integer.parseInt(parameters.getOrDefault("connect.decimal.precision", "64"));
        org.apache.avro.LogicalTypes.decimal(precision, Integer.parseInt(parameters.get("scale")))
            .addToSchema(type);
      }
    }
    return type;
  }

  private static Schema bare(JsonNode connect, Map<String, Schema> records) {
    return switch (connect.path("type").asText()) {
      case "int8", "int16", "int32" -> Schema.create(Schema.Type.INT);
      case "int64" -> Schema.create(Schema.Type.LONG);
      case "float" -> Schema.create(Schema.Type.FLOAT);
      case "double" -> Schema.create(Schema.Type.DOUBLE);
      case "boolean" -> Schema.create(Schema.Type.BOOLEAN);
      case "string" -> Schema.create(Schema.Type.STRING);
      case "bytes" -> Schema.create(Schema.Type.BYTES);
      case "array" -> Schema.createArray(schema(connect.path("items"), records));
      case "map" -> Schema.createMap(schema(connect.path("values"), records));
      case "struct" -> record(connect, records);
      default -> throw new IllegalArgumentException(connect.toString());
    };
  }

  private static Schema record(JsonNode connect, Map<String, Schema> records) {
    String name = connect.path("name").asText();
    Schema record = Schema.createRecord(name, null, null, false);
    records.put(name, record);
    List<Schema.Field> fields = new ArrayList<>();
    for (JsonNode field : connect.path("fields")) {
      Schema type = schema(field, records);
      Object otherwise = type.getType() == Schema.Type.UNION ? JsonProperties.NULL_VALUE : null;
      fields.add(new Schema.Field(field.path("field").asText(), type, null, otherwise));
    }
    record.setFields(fields);
    return record;
  }

  private static @Nullable Object datum(JsonNode json, JsonNode connect, Schema schema)
      throws IOException {
    if (json.isNull() || json.isMissingNode()) {
      return null;
    }
    Schema type = schema.getType() == Schema.Type.UNION ? schema.getTypes().get(1) : schema;
    return switch (type.getType()) {
      case INT -> json.intValue();
      case LONG -> json.longValue();
      case FLOAT -> json.floatValue();
      case DOUBLE -> json.doubleValue();
      case BOOLEAN -> json.booleanValue();
      case BYTES -> ByteBuffer.wrap(json.binaryValue());
      case ARRAY -> {
        List<Object> elements = new ArrayList<>();
        for (JsonNode each : json) {
          elements.add(datum(each, connect.path("items"), type.getElementType()));
        }
        yield elements;
      }
      case MAP -> {
        Map<String, Object> entries = new HashMap<>();
        for (Map.Entry<String, JsonNode> entry : json.properties()) {
          entries.put(
              entry.getKey(), datum(entry.getValue(), connect.path("values"), type.getValueType()));
        }
        yield entries;
      }
      case RECORD -> {
        GenericData.Record row = new GenericData.Record(type);
        for (JsonNode field : connect.path("fields")) {
          String name = field.path("field").asText();
          row.put(name, datum(json.path(name), field, type.getField(name).schema()));
        }
        yield row;
      }
      default -> json.textValue();
    };
  }
}
