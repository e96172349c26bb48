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

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.idem.pipelines.decode.Decoded.Reason;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Reads one JSON object a record, by the names of a schema.
 *
 * <p>Whole numbers fit integer columns only without loss; a double column takes any number; a text
 * column takes text, and other values as their JSON text; a timestamp is ISO 8601 text with an
 * offset, or whole milliseconds; a date is ISO 8601 text; binary is base64 text; a decimal must fit
 * the column's precision and scale without rounding. A field that is named twice, and anything
 * after the object, is a parse error. An absent field is null.
 */
public final class JsonRowDecoder implements RowDecoder {

  /** What to do with a field that the schema does not name. */
  public enum UnknownFields {
    /** The record becomes a dead letter. */
    DEAD_LETTER,
    /** The field is left out. */
    IGNORE,
    /** The batch fails. */
    FAIL
  }

  private static final JsonFactory JSON =
      new JsonFactoryBuilder().disable(StreamReadFeature.AUTO_CLOSE_SOURCE).build();

  private final Schema schema;
  private final UnknownFields unknownFields;
  private transient @Nullable Map<String, Integer> positions;
  private transient JsonColumn @Nullable [] columns;

  private JsonRowDecoder(Schema schema, UnknownFields unknownFields) {
    this.schema = schema;
    this.unknownFields = unknownFields;
    JsonColumn.of(schema);
  }

  /** Returns a decoder of rows of {@code schema} that refuses fields the schema does not name. */
  public static JsonRowDecoder of(Schema schema) {
    return new JsonRowDecoder(schema, UnknownFields.DEAD_LETTER);
  }

  /** Says what becomes of fields that the schema does not name; the default is a dead letter. */
  public JsonRowDecoder withUnknownFields(UnknownFields treatment) {
    return new JsonRowDecoder(schema, treatment);
  }

  @Override
  public Schema schema() {
    return schema;
  }

  @Override
  public Decoded decode(byte[] value) {
    if (columns == null) {
      columns = JsonColumn.of(schema);
      positions = new HashMap<>();
      for (int i = 0; i < schema.getFieldCount(); i++) {
        positions.put(schema.getField(i).getName(), i);
      }
    }
    Object[] values = new Object[columns.length];
    boolean[] seen = new boolean[columns.length];
    try (JsonParser parser = JSON.createParser(value)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return refused(null, "A record must be one JSON object.");
      }
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        Integer position = positions.get(name);
        if (position == null) {
          if (unknownFields == UnknownFields.FAIL) {
            throw new UnknownFieldException(name);
          }
          if (unknownFields == UnknownFields.DEAD_LETTER) {
            return refused(name, "A field must be one of the schema's.");
          }
          parser.skipChildren();
          continue;
        }
        if (seen[position]) {
          return refused(name, "A field must be given once.");
        }
        seen[position] = true;
        if (parser.currentToken() != JsonToken.VALUE_NULL) {
          Object converted = columns[position].read(parser);
          if (converted instanceof JsonColumn.Broken broken) {
            return refused(name, broken.rule());
          }
          values[position] = converted;
        }
      }
      if (parser.nextToken() != null) {
        return refused(null, "Nothing may follow the JSON object.");
      }
    } catch (IOException e) {
      return refused(null, "A record must be well-formed JSON.");
    }
    for (int i = 0; i < values.length; i++) {
      if (values[i] == null && !columns[i].nullable()) {
        return new Decoded.Refused(
            Reason.MISSING_FIELD,
            schema.getField(i).getName(),
            "A column that is not nullable must have a value.");
      }
    }
    List<Object> attached = Arrays.asList(values);
    return new Decoded.AsRow(Row.withSchema(schema).attachValues(attached));
  }

  private static Decoded refused(@Nullable String column, String rule) {
    return new Decoded.Refused(Reason.PARSE_ERROR, column, rule);
  }
}
