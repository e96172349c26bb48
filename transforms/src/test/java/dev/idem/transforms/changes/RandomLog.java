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

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;

/** A log of changes and the rules it is applied by, both made from a seed. */
public final class RandomLog {
  private static final int MOST_KEYS = 8;
  private static final Schema STRUCT =
      Schema.builder()
          .addNullableField("x", FieldType.INT64)
          .addNullableField("y", FieldType.STRING)
          .build();

  /** The changes; a key has two columns, and {@code log} tells logs that run together apart. */
  public static final Schema SCHEMA =
      Schema.builder()
          .addInt32Field("log")
          .addNullableField("k", FieldType.STRING)
          .addNullableField("s", FieldType.INT64)
          .addNullableField("t", FieldType.INT64)
          .addStringField("op")
          .addNullableField("a", FieldType.INT64)
          .addNullableField("b", FieldType.STRING)
          .addNullableField("n", FieldType.row(STRUCT))
          .addNullableField("carried", FieldType.array(FieldType.STRING))
          .build();

  /** What a change does. */
  public enum Op {
    UPSERT,
    DELETE,
    TRUNCATE
  }

  /** A change; {@code values} by path, {@code n} is whether the struct is there. */
  public record Event(
      String key, List<Long> sequence, Op op, Map<String, Object> values, List<String> mask) {}

  /** What a log is applied by. */
  public enum Rules {
    WHOLE_ROWS(false, false, ""),
    NULLS_IGNORED(false, false, "abn"),
    SOME_NULLS_IGNORED(false, false, "an"),
    MASKED(true, false, ""),
    MASKED_AND_NULLS_IGNORED(true, false, "bn"),
    HISTORY(false, true, ""),
    HISTORY_WITH_NULLS_IGNORED(false, true, "abn"),
    HISTORY_MASKED(true, true, "");

    private final boolean masked;
    private final boolean history;
    private final String ignoredNulls;

    Rules(boolean masked, boolean history, String ignoredNulls) {
      this.masked = masked;
      this.history = history;
      this.ignoredNulls = ignoredNulls;
    }

    /** Returns whether the history is kept. */
    public boolean history() {
      return history;
    }

    boolean partial() {
      return masked || !ignoredNulls.isEmpty();
    }

    /** Returns the transform; {@code variant} chooses the sequence and the tracked columns. */
    public ApplyChanges transform(int variant) {
      ApplyChanges transform =
          ApplyChanges.keys("log", "k")
              .sequenceBy(sequence(variant).toArray(String[]::new))
              .applyAsDeleteWhen(row -> "d".equals(row.getString("op")))
              .columns("log", "k", "a", "b", "n");
      if (!ignoredNulls.isEmpty()) {
        transform = transform.ignoreNullUpdatesOn(ignoredNulls.split(""));
      }
      if (masked) {
        transform = transform.columnsToUpdate("carried");
      }
      if (history) {
        transform = transform.storedAsScdType2();
        return variant / 2 % 2 == 0 ? transform : transform.trackHistoryExcept("b");
      }
      return transform.applyAsTruncateWhen(row -> "t".equals(row.getString("op")));
    }

    static List<String> sequence(int variant) {
      return variant % 2 == 0 ? List.of("s") : List.of("s", "t");
    }

    ReferenceTable reference(int variant) {
      boolean all = !history || variant / 2 % 2 == 0;
      return new ReferenceTable(
          masked,
          List.of(ignoredNulls.split("")),
          history,
          all ? ReferenceTable.PATHS : List.of("a", "n", "n.x", "n.y"));
    }
  }

  final int number;
  public final Rules rules;
  public final int variant;
  public final List<Event> events = new ArrayList<>();

  /** Makes the log of a number. */
  public RandomLog(long seed, int number) {
    Random random = new Random(seed * 1_000_003 + number);
    this.number = number;
    this.rules = Rules.values()[number % Rules.values().length];
    this.variant = random.nextInt(4);
    int size = 5 + random.nextInt(196);
    int keys = 1 + random.nextInt(MOST_KEYS);
    int sequences = 1 + random.nextInt(3 * size);
    boolean truncates = !rules.history && random.nextInt(3) > 0;
    for (int i = 0; i < size; i++) {
      List<Long> sequence =
          Rules.sequence(variant).stream()
              .map(c -> c.equals("s") ? random.nextInt(sequences) : random.nextInt(4) - 2L)
              .map(Number::longValue)
              .toList();
      Op op =
          truncates && random.nextInt(40) == 0
              ? Op.TRUNCATE
              : random.nextInt(5) == 0 ? Op.DELETE : Op.UPSERT;
      events.add(
          new Event(
              op == Op.TRUNCATE ? null : "k" + random.nextInt(keys),
              sequence,
              op,
              op == Op.UPSERT ? values(random) : Map.of(),
              rules.masked && random.nextInt(4) > 0 ? mask(random) : null));
    }
  }

  private static Map<String, Object> values(Random random) {
    Map<String, Object> values = new HashMap<>();
    values.put("a", random.nextInt(3) == 0 ? null : (Long) (long) random.nextInt(4));
    values.put(
        "b", random.nextInt(3) == 0 ? null : String.valueOf((char) ('p' + random.nextInt(4))));
    boolean struct = random.nextInt(4) > 0;
    values.put("n", struct);
    boolean x = struct && random.nextInt(3) > 0;
    boolean y = struct && random.nextInt(3) > 0;
    values.put("n.x", x ? (Long) (long) random.nextInt(3) : null);
    values.put("n.y", y ? String.valueOf((char) ('s' + random.nextInt(3))) : null);
    return values;
  }

  private static List<String> mask(Random random) {
    return ReferenceTable.PATHS.stream().filter(path -> random.nextInt(3) == 0).toList();
  }

  /** Returns a change as a row of the input. */
  public Row row(Event event) {
    Map<String, Object> values = event.values();
    boolean struct = Boolean.TRUE.equals(values.get("n"));
    return Row.withSchema(SCHEMA)
        .attachValues(
            Arrays.asList(
                number,
                event.key(),
                event.sequence().get(0),
                event.sequence().size() == 1 ? null : event.sequence().get(1),
                event.op().name().substring(0, 1).toLowerCase(Locale.ROOT),
                values.get("a"),
                values.get("b"),
                struct
                    ? Row.withSchema(STRUCT).addValues(values.get("n.x"), values.get("n.y")).build()
                    : null,
                event.mask()));
  }

  /** Returns the lines that must come out, as {@link #line} writes them. */
  public Set<String> expected() {
    Set<String> lines = new TreeSet<>();
    rules
        .reference(variant)
        .after(events)
        .forEach(
            line ->
                lines.add(
                    number
                        + " "
                        + line.key()
                        + " "
                        + line.values().values()
                        + (rules.history ? " " + line.start() + ".." + line.end() : "")));
    return lines;
  }

  /** Writes a row that came out. */
  public static String line(Row row, boolean history) {
    Row struct = row.getRow("n");
    return row.getInt32("log")
        + " "
        + row.getString("k")
        + " "
        + Arrays.asList(
            row.getInt64("a"),
            row.getString("b"),
            struct == null ? null : Boolean.TRUE,
            struct == null ? null : struct.getValue("x"),
            struct == null ? null : struct.getValue("y"))
        + (history
            ? " " + sequence(row.getValue("__START_AT")) + ".." + sequence(row.getValue("__END_AT"))
            : "");
  }

  private static Object sequence(Object value) {
    return value == null ? null : value instanceof Row row ? row.getValues() : List.of(value);
  }

  boolean hasTie() {
    Map<List<Object>, Set<Event>> together = new HashMap<>();
    for (Event event : events) {
      if (event.op() != Op.TRUNCATE) {
        together
            .computeIfAbsent(List.of(event.key(), event.sequence()), any -> new HashSet<>())
            .add(event);
      }
    }
    return together.values().stream().anyMatch(tied -> tied.size() > 1);
  }

  /** Returns whether there is a truncate in it. */
  public boolean hasTruncate() {
    return events.stream().anyMatch(event -> event.op() == Op.TRUNCATE);
  }

  /** Whether the log, as it is, has a delete and after it an upsert that belongs before it. */
  boolean hasDeleteBeforeLateInsert() {
    for (int i = 0; i < events.size(); i++) {
      Event delete = events.get(i);
      if (delete.op() == Op.DELETE
          && events.subList(i + 1, events.size()).stream()
              .anyMatch(
                  late ->
                      late.op() == Op.UPSERT
                          && late.key().equals(delete.key())
                          && late.sequence().get(0) < delete.sequence().get(0))) {
        return true;
      }
    }
    return false;
  }
}
