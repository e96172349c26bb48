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

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.decode.JsonColumn.Broken;
import dev.idem.pipelines.decode.JsonRowDecoder.UnknownFields;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Reads JSON objects as rows of one schema. */
final class JsonObject {

  private static final Broken UNKNOWN = new Broken("A field must be one of the schema's.");
  private static final Broken TWICE = new Broken("A field must be given once.");
  private static final Broken MISSING =
      new Broken(Reason.MISSING_FIELD, "", "A column that is not nullable must have a value.");

  private final Schema schema;
  private final UnknownFields unknownFields;
  private final JsonColumn[] columns;
  private final Map<String, Integer> positions = new HashMap<>();

  private JsonObject(Schema schema, UnknownFields unknownFields) {
    this.schema = schema;
    this.unknownFields = unknownFields;
    this.columns = JsonColumn.of(schema, unknownFields);
    for (int i = 0; i < columns.length; i++) {
      positions.put(schema.getField(i).getName(), i);
    }
  }

  static JsonObject of(Schema schema, UnknownFields unknownFields) {
    return new JsonObject(schema, unknownFields);
  }

  /** Reads the object that the parser is at the start of; returns a row or {@link Broken}. */
  Object read(JsonParser parser) throws IOException {
    Object[] values = new Object[columns.length];
    boolean[] seen = new boolean[columns.length];
    Broken broken = null;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      Broken found = read(parser, name, values, seen);
      if (found != null && broken == null) {
        broken = found.in(name);
      }
    }
    if (broken != null) {
      return broken;
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null && !columns[i].nullable()) {
        return MISSING.in(schema.getField(i).getName());
      }
    }
    return Row.withSchema(schema).attachValues(Arrays.asList(values));
  }

  private @Nullable Broken read(JsonParser parser, String name, Object[] values, boolean[] seen)
      throws IOException {
    Integer position = positions.get(name);
    if (position == null) {
      if (unknownFields == UnknownFields.FAIL) {
        throw new UnknownFieldException(name);
      }
      parser.skipChildren();
      return unknownFields == UnknownFields.DEAD_LETTER ? UNKNOWN : null;
    }
    if (seen[position]) {
      parser.skipChildren();
      return TWICE;
    }
    seen[position] = true;
    if (parser.currentToken() != JsonToken.VALUE_NULL) {
      Object value = columns[position].read(parser);
      if (value instanceof Broken broken) {
        // What does not fit may begin an array or an object.
        parser.skipChildren();
        return broken;
      }
      values[position] = value;
    }
    return null;
  }
}
