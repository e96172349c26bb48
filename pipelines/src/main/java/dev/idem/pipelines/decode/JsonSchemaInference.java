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
package dev.idem.pipelines.decode;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;

/**
 * Infers a schema from JSON records: whole numbers become long, other numbers double, true and
 * false boolean, text and nested values text; a column that was seen with types that no number type
 * holds becomes text. All columns are nullable, in the order in which they were first seen.
 */
public final class JsonSchemaInference {

  /** How many records are looked at, at the most. */
  public static final int MAX_RECORDS = 10_000;

  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private enum Kind {
    UNKNOWN,
    LONG,
    DOUBLE,
    BOOLEAN,
    TEXT;

    Kind with(Kind other) {
      if (this == UNKNOWN || this == other) {
        return other;
      }
      if (other == UNKNOWN) {
        return this;
      }
      boolean bothNumbers = (this == LONG || this == DOUBLE) && (other == LONG || other == DOUBLE);
      return bothNumbers ? DOUBLE : TEXT;
    }

    FieldType type() {
      return switch (this) {
        case LONG -> FieldType.INT64;
        case DOUBLE -> FieldType.DOUBLE;
        case BOOLEAN -> FieldType.BOOLEAN;
        case UNKNOWN, TEXT -> FieldType.STRING;
      };
    }
  }

  private final Map<String, Kind> columns = new LinkedHashMap<>();
  private int parsed;

  /** Takes one record into account; bytes that are no JSON object are passed over. */
  public void add(byte[] value) {
    JsonNode node;
    try {
      node = MAPPER.readTree(value);
    } catch (IOException e) {
      return; // A record that does not parse becomes a dead letter when the batch runs.
    }
    if (node == null || !node.isObject()) {
      return;
    }
    parsed++;
    node.properties()
        .forEach(field -> columns.merge(field.getKey(), kind(field.getValue()), Kind::with));
  }

  /** Returns how many records were JSON objects. */
  public int parsed() {
    return parsed;
  }

  /** Returns the schema of what was seen. */
  public Schema schema() {
    Schema.Builder schema = Schema.builder();
    columns.forEach((name, kind) -> schema.addNullableField(name, kind.type()));
    return schema.build();
  }

  private static Kind kind(JsonNode value) {
    if (value.isNull()) {
      return Kind.UNKNOWN;
    }
    if (value.isBoolean()) {
      return Kind.BOOLEAN;
    }
    if (value.isIntegralNumber()) {
      return value.canConvertToLong() ? Kind.LONG : Kind.TEXT;
    }
    return value.isNumber() ? Kind.DOUBLE : Kind.TEXT;
  }
}
