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

import java.io.IOException;
import java.io.Serial;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Avro behind a zero byte and the id of its schema in a registry, four bytes. */
final class AvroFormat implements EventFormat {
  @Serial private static final long serialVersionUID = 1L;

  private static final int HEADER = 5;
  private static final String NOT_AVRO =
      "A record must be a zero byte, the id of a schema, and Avro of that schema.";

  private final SchemaRegistry registry;

  /** By id; nothing for ids that the registry does not know. */
  private final transient Map<Integer, Optional<Known>> schemas = new ConcurrentHashMap<>();

  private record Known(Schema avro, ConnectSchema connect) {}

  AvroFormat(SchemaRegistry registry) {
    this.registry = registry;
  }

  @Override
  public @Nullable Map<String, Object> read(byte[] bytes) throws BadEventException {
    Known known = known(bytes);
    Object value = ConnectAvro.read(datum(bytes, known.avro()), known.connect());
    Map<String, Object> struct = value == null ? null : ColumnValue.struct(value);
    if (value != null && struct == null) {
      throw BadEventException.parse("", "A record must be an Avro record.");
    }
    return struct;
  }

  @Override
  public ConnectSchema schema(byte[] bytes) throws BadEventException {
    return known(bytes).connect();
  }

  private Known known(byte[] bytes) throws BadEventException {
    if (bytes.length < HEADER || bytes[0] != 0) {
      throw BadEventException.parse("", NOT_AVRO);
    }
    int id = ByteBuffer.wrap(bytes, 1, Integer.BYTES).getInt();
    Optional<Known> known = schemas.get(id);
    if (known == null) {
      Optional<Schema> schema = registry.schema(id);
      known =
          schema.isEmpty()
              ? Optional.empty()
              : Optional.of(new Known(schema.get(), AvroSchemas.toConnect(schema.get())));
      schemas.put(id, known);
    }
    return known.orElseThrow(
        () -> BadEventException.parse("", "The schema of a record must be in the registry."));
  }

  private static @Nullable Object datum(byte[] bytes, Schema schema) throws BadEventException {
    try {
      BoundedAvroDecoder decoder = new BoundedAvroDecoder(bytes, HEADER);
      Object datum = new GenericDatumReader<>(schema).read(null, decoder);
      if (!decoder.isEnd()) {
        throw BadEventException.parse("", "Nothing may follow the Avro record.");
      }
      return datum;
    } catch (IOException | AvroRuntimeException | IndexOutOfBoundsException e) {
      throw BadEventException.parse("", NOT_AVRO);
    }
  }

  @Serial
  private Object readResolve() {
    return new AvroFormat(registry);
  }

  /** Makes values of Avro those of Connect. */
  private static final class ConnectAvro {
    private ConnectAvro() {}

    static @Nullable Object read(@Nullable Object value, ConnectSchema schema)
        throws BadEventException {
      return value == null ? null : ConnectValues.meaning(physical(value, schema), schema);
    }

    private static Object physical(Object value, ConnectSchema schema) throws BadEventException {
      return switch (schema.kind()) {
        case INT8, INT16, INT32, INT64 -> ((Number) value).longValue();
        case FLOAT, DOUBLE -> ((Number) value).doubleValue();
        case BOOLEAN -> value;
        case STRING -> value.toString();
        case BYTES -> bytes(value);
        case ARRAY -> elements((List<?>) value, schema.element());
        case MAP -> entries((Map<?, ?>) value, schema.element());
        case STRUCT -> fields((IndexedRecord) value, schema);
      };
    }

    private static byte[] bytes(Object value) {
      if (value instanceof GenericFixed fixed) {
        return fixed.bytes();
      }
      ByteBuffer buffer = ((ByteBuffer) value).duplicate();
      byte[] bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
      return bytes;
    }

    private static List<Object> elements(List<?> list, ConnectSchema element)
        throws BadEventException {
      List<Object> elements = new ArrayList<>(list.size());
      for (Object each : list) {
        elements.add(read(each, element));
      }
      return elements;
    }

    private static Map<String, Object> entries(Map<?, ?> map, ConnectSchema value)
        throws BadEventException {
      Map<String, Object> entries = new LinkedHashMap<>();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        entries.put(entry.getKey().toString(), read(entry.getValue(), value));
      }
      return entries;
    }

    private static Map<String, Object> fields(IndexedRecord row, ConnectSchema struct)
        throws BadEventException {
      Map<String, Object> fields = new LinkedHashMap<>();
      int position = 0;
      for (Map.Entry<String, ConnectSchema> field : struct.fields().entrySet()) {
        try {
          fields.put(field.getKey(), read(row.get(position++), field.getValue()));
        } catch (BadEventException e) {
          throw e.in(field.getKey());
        }
      }
      return fields;
    }
  }
}
