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

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.Serial;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * JSON as Kafka Connect's converter writes it: the struct alone, or {@code schema} and {@code
 * payload}.
 */
final class JsonFormat implements EventFormat {
  @Serial private static final long serialVersionUID = 1L;

  /** A topic has few schemas; what is more is no topic of one table. */
  private static final int CACHED_SCHEMAS = 256;

  private static final JsonFactory JSON =
      new JsonFactoryBuilder()
          // A value is as long as its record, which Kafka bounds.
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(Integer.MAX_VALUE).build())
          .build();

  private static final ObjectMapper MAPPER =
      new ObjectMapper(JSON)
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .configure(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES, false);

  /** By the bytes of the JSON, which are much longer than those of most rows. */
  private final transient Map<ByteBuffer, ConnectSchema> schemas = new ConcurrentHashMap<>();

  /**
   * What a record holds.
   *
   * @param schema the schema beside the struct, null if there is none
   * @param json the struct, null if there is none
   */
  private record Content(@Nullable ConnectSchema schema, @Nullable JsonNode json) {}

  @Override
  public @Nullable Map<String, Object> read(byte[] bytes) throws BadEventException {
    Content content = content(bytes);
    if (content.json() == null) {
      return null;
    }
    Object struct =
        content.schema() == null
            ? content.json()
            : ConnectValues.read(content.json(), content.schema());
    Map<String, Object> fields = struct == null ? null : ColumnValue.struct(struct);
    if (fields == null) {
      throw notAnEvent();
    }
    return fields;
  }

  @Override
  public @Nullable ConnectSchema schema(byte[] bytes) throws BadEventException {
    return content(bytes).schema();
  }

  private Content content(byte[] bytes) throws BadEventException {
    try (JsonParser parser = JSON.createParser(bytes)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw notAnEvent();
      }
      ConnectSchema schema = null;
      ObjectNode fields = MAPPER.createObjectNode();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        JsonToken token = parser.nextToken();
        if (name.equals("schema") && token == JsonToken.START_OBJECT) {
          schema = schema(parser, bytes);
        } else if (fields.putIfAbsent(name, MAPPER.readTree(parser)) != null) {
          throw BadEventException.parse(name, "A field must be given once.");
        }
      }
      if (parser.nextToken() != null) {
        throw BadEventException.parse("", "Nothing may follow the JSON object.");
      }
      return content(schema, fields);
    } catch (IOException e) {
      throw BadEventException.parse("", "A record must be well-formed JSON.");
    }
  }

  private static Content content(@Nullable ConnectSchema schema, ObjectNode fields) {
    JsonNode payload = fields.get("payload");
    // Without its schema the struct is all there is, or the schema beside it is null.
    boolean wrapped = payload != null && (schema != null || fields.has("schema"));
    JsonNode json = wrapped ? payload : fields;
    return new Content(schema, json.isNull() ? null : json);
  }

  private ConnectSchema schema(JsonParser parser, byte[] bytes)
      throws IOException, BadEventException {
    int start = (int) parser.currentTokenLocation().getByteOffset();
    parser.skipChildren();
    int end = (int) parser.currentLocation().getByteOffset();
    ConnectSchema known = schemas.get(ByteBuffer.wrap(bytes, start, end - start));
    if (known != null) {
      return known;
    }
    byte[] json = Arrays.copyOfRange(bytes, start, end);
    ConnectSchema schema = ConnectSchema.parse(MAPPER.readTree(json));
    if (schemas.size() < CACHED_SCHEMAS) {
      schemas.put(ByteBuffer.wrap(json), schema);
    }
    return schema;
  }

  private static BadEventException notAnEvent() {
    return BadEventException.parse("", "A record must be one JSON object.");
  }

  @Serial
  private Object readResolve() {
    return new JsonFormat();
  }
}
