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
package dev.idem.io.checkpoint;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * Reads the fields of one JSON object, each exactly once: a missing, a mistyped and an unknown
 * field are errors, told by name and never by value.
 */
final class JsonFields {

  private final JsonNode object;
  private final Set<String> taken = new HashSet<>();

  JsonFields(JsonNode object) {
    if (!object.isObject()) {
      throw new IllegalArgumentException("a value is no JSON object");
    }
    this.object = object;
  }

  String text(String name) {
    return textOf(name, field(name));
  }

  /** Returns a text that may be absent; it is empty then. */
  String optionalText(String name) {
    return object.has(name) ? text(name) : "";
  }

  long number(String name) {
    return numberOf(name, field(name));
  }

  int integer(String name) {
    JsonNode node = field(name);
    require(name, node.isIntegralNumber() && node.canConvertToInt());
    return node.intValue();
  }

  double decimal(String name) {
    JsonNode node = field(name);
    require(name, node.isNumber());
    return node.doubleValue();
  }

  Instant instant(String name) {
    return instantOf(name, field(name));
  }

  Optional<Instant> optionalInstant(String name) {
    JsonNode node = field(name);
    return node.isNull() ? Optional.empty() : Optional.of(instantOf(name, node));
  }

  JsonFields object(String name) {
    return new JsonFields(field(name));
  }

  Map<String, String> texts(String name) {
    return map(name, node -> textOf(name, node));
  }

  Map<String, Long> numbers(String name) {
    return map(name, node -> numberOf(name, node));
  }

  List<String> textList(String name) {
    return elements(name, node -> textOf(name, node));
  }

  <T> Map<String, T> objects(String name, Function<JsonFields, T> reader) {
    return map(name, node -> whole(node, reader));
  }

  <T> List<T> list(String name, Function<JsonFields, T> reader) {
    return elements(name, node -> whole(node, reader));
  }

  /** Throws unless every field was read. */
  void done() {
    Iterator<String> names = object.fieldNames();
    while (names.hasNext()) {
      String name = names.next();
      if (!taken.contains(name)) {
        throw new IllegalArgumentException("field \"" + name + "\" is unknown");
      }
    }
  }

  private static <T> T whole(JsonNode node, Function<JsonFields, T> reader) {
    JsonFields fields = new JsonFields(node);
    T value = reader.apply(fields);
    fields.done();
    return value;
  }

  private <T> Map<String, T> map(String name, Function<JsonNode, T> reader) {
    JsonNode node = field(name);
    require(name, node.isObject());
    Map<String, T> map = new TreeMap<>();
    node.fields()
        .forEachRemaining(entry -> map.put(entry.getKey(), reader.apply(entry.getValue())));
    return map;
  }

  private <T> List<T> elements(String name, Function<JsonNode, T> reader) {
    JsonNode node = field(name);
    require(name, node.isArray());
    List<T> list = new ArrayList<>();
    node.elements().forEachRemaining(element -> list.add(reader.apply(element)));
    return List.copyOf(list);
  }

  private JsonNode field(String name) {
    JsonNode node = object.get(name);
    if (node == null) {
      throw new IllegalArgumentException("field \"" + name + "\" is missing");
    }
    taken.add(name);
    return node;
  }

  private static String textOf(String name, JsonNode node) {
    require(name, node.isTextual());
    return node.textValue();
  }

  private static long numberOf(String name, JsonNode node) {
    require(name, node.isIntegralNumber() && node.canConvertToLong());
    return node.longValue();
  }

  private static Instant instantOf(String name, JsonNode node) {
    try {
      return Instant.parse(textOf(name, node));
    } catch (DateTimeParseException e) {
      throw new IllegalArgumentException("field \"" + name + "\" is no time", e);
    }
  }

  private static void require(String name, boolean holds) {
    if (!holds) {
      throw new IllegalArgumentException("field \"" + name + "\" has another type");
    }
  }
}
