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
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.Schema.TypeName;

/**
 * Tells what stands where the source did not send a value: a large one that an update left as it
 * was (in PostgreSQL one that is kept out of line, a TOAST value; in Oracle a LOB).
 *
 * @param text the text that the connector was told to send
 */
record UnavailableValue(String text) implements Serializable {

  /** Returns whether a value of an event stands for one that was not sent. */
  boolean matches(Object value, FieldType type) {
    if (value instanceof String string) {
      return isText(string);
    }
    if (value instanceof byte[] bytes) {
      return Arrays.equals(bytes, bytes());
    }
    if (value instanceof List<?> list) {
      return isList(list);
    }
    if (value instanceof Map<?, ?> map) {
      return map.size() == 1 && text.equals(map.get(text));
    }
    return value instanceof JsonNode json && isJson(json, type);
  }

  private byte[] bytes() {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** A column of key-value pairs (hstore) is JSON text in most configurations. */
  private boolean isText(String value) {
    return value.equals(text)
        || (value.startsWith("{") && value.equals("{\"" + text + "\":\"" + text + "\"}"));
  }

  private boolean isBase64(String value) {
    return value.equals(Base64.getEncoder().encodeToString(bytes()));
  }

  private boolean isList(List<?> list) {
    if (list.size() == 1) {
      Object only = list.get(0);
      return only instanceof byte[] bytes
          ? Arrays.equals(bytes, bytes())
          : text.equals(only) || UUID.nameUUIDFromBytes(bytes()).toString().equals(only);
    }
    byte[] bytes = bytes();
    if (list.size() != bytes.length) {
      return false;
    }
    for (int i = 0; i < bytes.length; i++) {
      // The elements of an array of dates are numbers of days.
      Object element = list.get(i) instanceof LocalDate date ? date.toEpochDay() : list.get(i);
      if (!(element instanceof Number number) || number.doubleValue() != bytes[i]) {
        return false;
      }
    }
    return true;
  }

  private boolean isJson(JsonNode json, FieldType type) {
    if (json.isTextual()) {
      boolean binary = type.getTypeName() == TypeName.BYTES;
      return isText(json.textValue()) || (binary && isBase64(json.textValue()));
    }
    if (json.isObject()) {
      return json.size() == 1 && text.equals(json.path(text).textValue());
    }
    if (json.isArray()) {
      List<Object> elements = new ArrayList<>(json.size());
      json.forEach(each -> elements.add(each.isNumber() ? each.numberValue() : each.textValue()));
      return isList(elements)
          || (elements.size() == 1 && isBase64(String.valueOf(elements.get(0))));
    }
    return false;
  }
}
