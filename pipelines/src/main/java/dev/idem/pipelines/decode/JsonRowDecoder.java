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
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Reads one JSON object a record, by the names of a schema.
 *
 * <p>Whole numbers fit integer columns only without loss; a floating-point column takes any number,
 * and {@code "NaN"}, {@code "Infinity"} and {@code "-Infinity"}; a text column takes text, and
 * other values as their JSON text; a timestamp is ISO 8601 text with an offset, or whole
 * milliseconds, one without a zone ISO 8601 text without offset; a date is ISO 8601 text; binary is
 * base64 text; a decimal must fit the column's precision and scale without rounding; an array is a
 * JSON array, a map and a struct are JSON objects. A field that is named twice, and anything after
 * the object, is a parse error. An absent field is null.
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
  private transient @Nullable JsonObject object;

  private JsonRowDecoder(Schema schema, UnknownFields unknownFields) {
    this.schema = schema;
    this.unknownFields = unknownFields;
    JsonColumn.of(schema, unknownFields);
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
    if (object == null) {
      object = JsonObject.of(schema, unknownFields);
    }
    try (JsonParser parser = JSON.createParser(value)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return refused("A record must be one JSON object.");
      }
      Object read = object.read(parser);
      if (read instanceof JsonColumn.Broken broken) {
        return new Decoded.Refused(broken.reason(), broken.path(), broken.rule());
      }
      if (parser.nextToken() != null) {
        return refused("Nothing may follow the JSON object.");
      }
      return new Decoded.AsRow((Row) read);
    } catch (IOException e) {
      return refused("A record must be well-formed JSON.");
    }
  }

  private static Decoded refused(String rule) {
    return new Decoded.Refused(Reason.PARSE_ERROR, null, rule);
  }
}
