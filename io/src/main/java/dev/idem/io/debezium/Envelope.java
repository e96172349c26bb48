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

import java.util.Map;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * An event as the parts that every format has. Structs are maps; a field that an event does not
 * have is not in them. Values are what {@link ColumnValue} takes.
 *
 * @param op what happened
 * @param source where the event is from
 * @param before the row as it was, null if the event does not say
 * @param after the row as it is, null if it is gone or the event does not say
 */
record Envelope(
    String op,
    Map<String, Object> source,
    @Nullable Map<String, Object> before,
    @Nullable Map<String, Object> after) {

  /** Takes an envelope apart; throws for a struct that is none. */
  static Envelope of(Map<String, Object> event) throws BadEventException {
    Object op = ColumnValue.plain(event.get("op"));
    if (!(op instanceof String operation)) {
      throw BadEventException.missing("op", "An event must say what happened, by \"op\".");
    }
    Map<String, Object> source = struct(event, "source");
    if (source == null) {
      throw BadEventException.missing("source", "An event must say where it is from.");
    }
    return new Envelope(operation, source, struct(event, "before"), struct(event, "after"));
  }

  private static @Nullable Map<String, Object> struct(Map<String, Object> event, String name)
      throws BadEventException {
    Object value = event.get(name);
    if (value == null) {
      return null;
    }
    Map<String, Object> struct = ColumnValue.struct(value);
    if (struct == null) {
      throw BadEventException.parse(name, "The part of an event must be a struct.");
    }
    return struct;
  }
}
