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
package dev.idem.it;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.Map;
import org.apache.beam.sdk.values.Row;

/** Beam rows as the JSON that the Spark reader answers with when it reads equal values. */
final class SparkJson {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private SparkJson() {}

  /** Returns a row as it comes out of JSON text, where a number has no width. */
  static JsonNode of(Row row) {
    try {
      return MAPPER.readTree(MAPPER.writeValueAsString(node(row)));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  private static JsonNode node(Object value) {
    if (value == null) {
      return NODES.nullNode();
    } else if (value instanceof Row row) {
      ObjectNode node = NODES.objectNode();
      for (int i = 0; i < row.getFieldCount(); i++) {
        node.set(row.getSchema().getField(i).getName(), node(row.getValue(i)));
      }
      return node;
    } else if (value instanceof Collection<?> list) {
      ArrayNode node = NODES.arrayNode();
      list.forEach(each -> node.add(node(each)));
      return node;
    } else if (value instanceof Map<?, ?> map) {
      return map(map);
    }
    return leaf(value);
  }

  private static JsonNode map(Map<?, ?> map) {
    ObjectNode object = NODES.objectNode();
    ArrayNode array = NODES.arrayNode();
    map.forEach(
        (key, value) -> {
          if (key instanceof String text) {
            object.set(text, node(value));
          } else {
            array.add(node(key)).add(node(value));
          }
        });
    return array.isEmpty() ? object : array;
  }

  private static JsonNode leaf(Object value) {
    if (value instanceof Boolean flag) {
      return NODES.booleanNode(flag);
    } else if (value instanceof Double || value instanceof Float) {
      double number = ((Number) value).doubleValue();
      return Double.isFinite(number)
          ? NODES.numberNode(number)
          : NODES.textNode(Double.toString(number));
    } else if (value instanceof BigDecimal decimal) {
      return NODES.textNode(decimal.toPlainString());
    } else if (value instanceof Number number) {
      return NODES.numberNode(number.longValue());
    } else if (value instanceof byte[] bytes) {
      return NODES.binaryNode(bytes);
    } else if (value instanceof Instant instant) {
      return NODES.numberNode(
          Math.addExact(
              Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000));
    } else if (value instanceof LocalDateTime local) {
      return leaf(local.toInstant(ZoneOffset.UTC));
    } else if (value instanceof LocalDate || value instanceof String) {
      return NODES.textNode(value.toString());
    }
    throw new IllegalArgumentException(value.getClass().toString());
  }
}
