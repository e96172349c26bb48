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
package dev.idem.it.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import org.apache.spark.sql.Row;
import scala.Tuple2;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Spark's values as JSON without loss: timestamps as microseconds since 1970, dates as ISO text,
 * decimals as plain text, binary as base64, numbers that JSON does not know (NaN) as text.
 */
final class JsonValues {

  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

  private JsonValues() {}

  static ObjectNode of(Row row) {
    ObjectNode node = NODES.objectNode();
    String[] names = row.schema().fieldNames();
    for (int i = 0; i < names.length; i++) {
      node.set(names[i], of(row.get(i)));
    }
    return node;
  }

  private static JsonNode of(Object value) {
    if (value == null) {
      return NODES.nullNode();
    } else if (value instanceof Boolean flag) {
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
      return micros(instant);
    } else if (value instanceof LocalDateTime local) {
      return micros(local.toInstant(ZoneOffset.UTC));
    } else if (value instanceof LocalDate date) {
      return NODES.textNode(date.toString());
    } else if (value instanceof String text) {
      return NODES.textNode(text);
    } else {
      return nested(value);
    }
  }

  private static JsonNode nested(Object value) {
    if (value instanceof Row row) {
      return of(row);
    } else if (value instanceof Seq<?> list) {
      ArrayNode node = NODES.arrayNode();
      for (Iterator<?> elements = list.iterator(); elements.hasNext(); ) {
        node.add(of(elements.next()));
      }
      return node;
    } else if (value instanceof scala.collection.Map<?, ?> map) {
      return map(map);
    }
    throw new IllegalArgumentException(
        "Value must be of a type that the reader knows, but was: " + value.getClass() + ".");
  }

  /** Returns an object if the keys are text, and else an array of keys and values in turn. */
  private static JsonNode map(scala.collection.Map<?, ?> map) {
    ObjectNode object = NODES.objectNode();
    ArrayNode array = NODES.arrayNode();
    for (Iterator<? extends Tuple2<?, ?>> entries = map.iterator(); entries.hasNext(); ) {
      Tuple2<?, ?> entry = entries.next();
      if (entry._1() instanceof String text) {
        object.set(text, of(entry._2()));
      } else {
        array.add(of(entry._1())).add(of(entry._2()));
      }
    }
    return array.isEmpty() ? object : array;
  }

  private static JsonNode micros(Instant instant) {
    // ChronoUnit.MICROS.between goes through nanoseconds, which end in 1677 and 2262.
    return NODES.numberNode(
        Math.addExact(
            Math.multiplyExact(instant.getEpochSecond(), 1_000_000L), instant.getNano() / 1_000));
  }
}
