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
package dev.idem.transforms.changes;

import dev.idem.transforms.changes.RandomLog.Event;
import dev.idem.transforms.changes.RandomLog.Op;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a table must hold after a log of changes: sorts the log and applies one after the other. The
 * columns {@code a} and {@code n.x} hold numbers of zero or more, {@code b} and {@code n.y}
 * letters.
 */
record ReferenceTable(
    boolean masked, List<String> ignoredNulls, boolean history, List<String> tracked) {
  static final List<String> PATHS = List.of("a", "b", "n", "n.x", "n.y");
  private static final Comparator<List<Long>> SEQUENCES =
      Comparator.<List<Long>, Long>comparing(sequence -> sequence.get(0))
          .thenComparing(sequence -> sequence.get(sequence.size() - 1));

  /** A row of the result, with start and end if there is a history. */
  record Line(String key, List<Long> start, List<Long> end, Map<String, Object> values) {}

  List<Line> after(List<Event> log) {
    Map<String, TreeMap<List<Long>, List<Event>>> byKey = new TreeMap<>();
    log.stream()
        .filter(event -> event.op() != Op.TRUNCATE)
        .forEach(event -> byKey.putIfAbsent(event.key(), new TreeMap<>(SEQUENCES)));
    List<Line> lines = new ArrayList<>();
    byKey.forEach(
        (key, events) -> {
          log.stream()
              .filter(event -> event.op() == Op.TRUNCATE || event.key().equals(key))
              .forEach(
                  event ->
                      events.merge(
                          event.sequence(),
                          List.of(event),
                          (l, r) -> Stream.concat(l.stream(), r.stream()).toList()));
          lines.addAll(linesOf(key, events));
        });
    return lines;
  }

  private List<Line> linesOf(String key, Map<List<Long>, List<Event>> events) {
    List<Line> lines = new ArrayList<>();
    Line current = null;
    for (Map.Entry<List<Long>, List<Event>> at : events.entrySet()) {
      boolean gone = at.getValue().stream().anyMatch(event -> event.op() != Op.UPSERT);
      Map<String, Object> values = new HashMap<>(current == null ? Map.of() : current.values());
      values.putAll(gone ? Map.of() : carriedBy(at.getValue()));
      boolean same = !gone && current != null && sameTracked(current.values(), values);
      if (current != null && !same) {
        lines.add(new Line(key, current.start(), at.getKey(), visible(current.values())));
      }
      current = gone ? null : new Line(key, same ? current.start() : at.getKey(), null, values);
    }
    if (current != null) {
      lines.add(new Line(key, current.start(), null, visible(current.values())));
    }
    return lines.stream().filter(line -> history || line.end() == null).toList();
  }

  private boolean sameTracked(Map<String, Object> left, Map<String, Object> right) {
    return tracked.stream()
        .allMatch(path -> Objects.equals(visible(left).get(path), visible(right).get(path)));
  }

  private static Map<String, Object> visible(Map<String, Object> values) {
    Map<String, Object> visible = new LinkedHashMap<>();
    boolean there = Boolean.TRUE.equals(values.get("n"));
    PATHS.forEach(
        path -> visible.put(path, path.startsWith("n") && !there ? null : values.get(path)));
    return visible;
  }

  /** What upserts at one sequence carry together; of two values of a path the greater one wins. */
  private Map<String, Object> carriedBy(List<Event> upserts) {
    Map<String, Object> carried = new HashMap<>();
    List<String> together = PATHS.stream().filter(path -> !mayBeLeftOut(path)).toList();
    Event greatest = upserts.get(0);
    for (Event upsert : upserts) {
      if (compare(together, upsert.values(), greatest.values()) > 0) {
        greatest = upsert;
      }
      for (String path : PATHS) {
        Map<String, Object> mine = upsert.values();
        if (mayBeLeftOut(path)
            && carries(upsert, path)
            && (!carried.containsKey(path) || compare(List.of(path), mine, carried) > 0)) {
          carried.put(path, mine.get(path));
        }
      }
    }
    for (String path : together) {
      carried.put(path, greatest.values().get(path));
    }
    return carried;
  }

  private boolean mayBeLeftOut(String path) {
    return masked || ignoredNulls.contains(path.substring(0, 1));
  }

  private boolean carries(Event event, String path) {
    Object value = event.values().get(path);
    boolean nothing = value == null || value.equals(false);
    if (nothing && ignoredNulls.contains(path.substring(0, 1))) {
      return false;
    }
    return event.mask() == null
        || event.mask().contains(path)
        || event.mask().contains(path.substring(0, 1))
        || (path.equals("n") && !nothing && event.mask().stream().anyMatch(m -> m.startsWith("n")));
  }

  private static int compare(
      List<String> paths, Map<String, Object> left, Map<String, Object> right) {
    return Arrays.compare(
        paths.stream().map(path -> rank(left.get(path))).toArray(Long[]::new),
        paths.stream().map(path -> rank(right.get(path))).toArray(Long[]::new));
  }

  /** Null and false come first, then greater numbers and later letters. */
  private static Long rank(Object value) {
    if (value == null || value instanceof Boolean) {
      return Boolean.TRUE.equals(value) ? 1L : -1L;
    }
    return value instanceof String text ? (Long) (long) text.charAt(0) : (Long) value;
  }
}
