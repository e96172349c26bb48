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
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Writes rows as JSON that a {@link JsonRowDecoder} of their schema reads again. Floating-point
 * numbers that JSON does not have are text: {@code "NaN"}, {@code "Infinity"}.
 */
public final class RowJson {

  private static final JsonFactory JSON = new JsonFactory();

  private RowJson() {}

  /** Returns a row as UTF-8. */
  public static byte[] bytes(Row row) {
    return bytes((Object) row);
  }

  private static byte[] bytes(Object row) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (JsonGenerator out = JSON.createGenerator(bytes)) {
      // As it is, 1e100000000 would be written out.
      out.disable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN);
      write(row, out);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  /** Returns a value as text: as it is in JSON, but text without its quotes. */
  public static String text(Object value) {
    if (value instanceof String text) {
      return text;
    }
    String json = new String(bytes(value), StandardCharsets.UTF_8);
    boolean quoted = json.startsWith("\"");
    return quoted ? json.substring(1, json.length() - 1) : json;
  }

  private static void write(@Nullable Object value, JsonGenerator out) throws IOException {
    if (value == null) {
      out.writeNull();
    } else if (value instanceof Row row) {
      out.writeStartObject();
      for (int i = 0; i < row.getFieldCount(); i++) {
        out.writeFieldName(row.getSchema().getField(i).getName());
        write(row.getValue(i), out);
      }
      out.writeEndObject();
    } else if (value instanceof Map<?, ?> map) {
      out.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        out.writeFieldName(String.valueOf(entry.getKey()));
        write(entry.getValue(), out);
      }
      out.writeEndObject();
    } else if (value instanceof Iterable<?> elements) {
      out.writeStartArray();
      for (Object element : elements) {
        write(element, out);
      }
      out.writeEndArray();
    } else if (value instanceof byte[] bytes) {
      out.writeBinary(bytes);
    } else if (value instanceof Boolean flag) {
      out.writeBoolean(flag);
    } else if (value instanceof BigDecimal decimal) {
      out.writeNumber(decimal);
    } else if (value instanceof Double || value instanceof Float) {
      writeFloating((Number) value, out);
    } else if (value instanceof Number whole) {
      out.writeNumber(whole.longValue());
    } else {
      // Dates and times are ISO 8601 text.
      out.writeString(value.toString());
    }
  }

  private static void writeFloating(Number value, JsonGenerator out) throws IOException {
    if (Double.isFinite(value.doubleValue())) {
      out.writeNumber(value.toString());
    } else {
      out.writeString(value.toString());
    }
  }
}
