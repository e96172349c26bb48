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
package dev.idem.io.delta.merge;

import dev.idem.io.delta.kernel.KeyRanges;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

/** Ranges that the values of key columns are in, from which follows which files can hold them. */
final class KeyBounds {

  /** Beyond so many, ranges next to each other become one. */
  private static final int MAX_RANGES = 64;

  private static final int MAX_RANGES_OF_SHARD = 16;

  /** A range of values as they are in Kernel's hands, both ends within. */
  record Range(Object low, Object high) {}

  private KeyBounds() {}

  /** Returns whether files can be told apart by the values of a column. */
  static boolean isBounded(DeltaColumn column) {
    return column.type() instanceof DeltaType.Decimal
        || (column.type() instanceof DeltaType.Primitive type
            && switch (type) {
              case STRING, BYTE, SHORT, INTEGER, LONG, DATE, TIMESTAMP, TIMESTAMP_NTZ -> true;
              case FLOAT, DOUBLE, BOOLEAN, BINARY -> false;
            });
  }

  /** Collects the values of a column, as rows have them. */
  static Set<Object> values() {
    return new TreeSet<>(order());
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // All values of a column are of one type.
  private static Comparator<Object> order() {
    return (left, right) ->
        left instanceof String text
            ? Arrays.compareUnsigned(
                text.getBytes(StandardCharsets.UTF_8),
                ((String) right).getBytes(StandardCharsets.UTF_8))
            : ((Comparable) left).compareTo(right);
  }

  /**
   * Returns a few ranges that {@link #values} are in, as text: each alone if they are few; else
   * numbers and times apart where the largest gaps are, and others together.
   */
  static List<List<String>> ranges(Set<Object> values) {
    List<Object> sorted = new ArrayList<>(values);
    List<Integer> ends = new ArrayList<>();
    if (sorted.size() <= MAX_RANGES_OF_SHARD) {
      IntStream.range(1, sorted.size()).forEach(ends::add);
    } else if (!(sorted.get(0) instanceof String)) {
      IntStream.range(1, sorted.size())
          .boxed()
          .sorted(Comparator.comparingDouble(i -> position(sorted, i - 1) - position(sorted, i)))
          .limit(MAX_RANGES_OF_SHARD - 1)
          .sorted()
          .forEach(ends::add);
    }
    ends.add(sorted.size());
    List<List<String>> ranges = new ArrayList<>();
    int start = 0;
    for (int end : ends) {
      if (end > start) {
        ranges.add(List.of(text(sorted.get(start)), text(sorted.get(end - 1))));
      }
      start = end;
    }
    return ranges;
  }

  /** Tells how far values are apart; only for where to cut. */
  private static double position(List<Object> values, int index) {
    Object value = values.get(index);
    if (value instanceof Number number) {
      return number.doubleValue();
    }
    return value instanceof LocalDate date ? date.toEpochDay() : micros(value);
  }

  private static String text(Object value) {
    if (value instanceof BigDecimal decimal) {
      return decimal.toPlainString();
    }
    if (value instanceof LocalDate date) {
      return Long.toString(date.toEpochDay());
    }
    return value instanceof Instant || value instanceof LocalDateTime
        ? Long.toString(micros(value))
        : value.toString();
  }

  private static long micros(Object time) {
    Instant instant =
        time instanceof LocalDateTime local ? local.toInstant(ZoneOffset.UTC) : (Instant) time;
    // By way of nanoseconds it would overflow before 1677 and after 2262.
    return Math.multiplyExact(instant.getEpochSecond(), 1_000_000L) + instant.getNano() / 1000;
  }

  /** Returns the ranges of all shards together, by the column they are of. */
  static KeyRanges of(List<DeltaColumn> columns, List<Map<String, List<List<String>>>> shards) {
    Map<String, List<KeyRanges.Range>> all = new LinkedHashMap<>();
    for (DeltaColumn column : columns) {
      List<Range> ranges = new ArrayList<>();
      for (Map<String, List<List<String>>> shard : shards) {
        for (List<String> range : shard.getOrDefault(column.name(), List.of())) {
          ranges.add(new Range(value(column, range.get(0)), value(column, range.get(1))));
        }
      }
      if (!ranges.isEmpty()) {
        all.put(
            column.name(),
            joined(ranges).stream()
                .map(range -> new KeyRanges.Range(range.low(), range.high()))
                .toList());
      }
    }
    return new KeyRanges(all);
  }

  private static List<Range> joined(List<Range> ranges) {
    Comparator<Object> order = order();
    ranges.sort(Comparator.comparing(Range::low, order));
    List<Range> joined = new ArrayList<>();
    for (Range range : ranges) {
      Range last = joined.isEmpty() ? null : joined.get(joined.size() - 1);
      if (last != null && order.compare(range.low(), last.high()) <= 0) {
        Object high = order.compare(range.high(), last.high()) > 0 ? range.high() : last.high();
        joined.set(joined.size() - 1, new Range(last.low(), high));
      } else {
        joined.add(range);
      }
    }
    int together = (joined.size() + MAX_RANGES - 1) / MAX_RANGES;
    List<Range> few = new ArrayList<>();
    for (int i = 0; i < joined.size(); i += together) {
      Range last = joined.get(Math.min(i + together, joined.size()) - 1);
      few.add(new Range(joined.get(i).low(), last.high()));
    }
    return few;
  }

  private static Object value(DeltaColumn column, String text) {
    if (column.type() instanceof DeltaType.Decimal decimal) {
      return new BigDecimal(text).setScale(decimal.scale());
    }
    return switch ((DeltaType.Primitive) column.type()) {
      case STRING -> text;
      case BYTE -> Byte.valueOf(text);
      case SHORT -> Short.valueOf(text);
      case INTEGER, DATE -> Integer.valueOf(text);
      case LONG, TIMESTAMP, TIMESTAMP_NTZ -> Long.valueOf(text);
      case FLOAT, DOUBLE, BOOLEAN, BINARY -> throw new IllegalStateException(column.name());
    };
  }
}
