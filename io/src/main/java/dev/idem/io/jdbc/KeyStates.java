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
package dev.idem.io.jdbc;

import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.table;

import dev.idem.io.jdbc.TableDescription.FullName;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.ListCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Query;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/** What is known of the keys of a table into which changes are merged, in a table beside it. */
final class KeyStates {

  private static final Field<String> KEY = field(name("key_fingerprint"), String.class);
  private static final Field<String> STATE = field(name("state"), String.class);

  /** The entry of the latest truncate; no fingerprint is so short. */
  private static final String TRUNCATE = "truncate";

  private final DSLContext context;
  private final Table<Record> states;
  private final String version;
  private final KvCoder<List<Row>, List<Row>> coder;
  private final RowCoder changeCoder;

  KeyStates(DSLContext context, FullName target, TableMerge merge) {
    this.context = context;
    this.states = table(target.beside(tableName(target)));
    this.version =
        Fingerprint.of(
                (description(merge.rowSchema()) + "\n" + description(merge.besideSchema()))
                    .getBytes(StandardCharsets.UTF_8))
            .toString();
    this.coder =
        KvCoder.of(
            ListCoder.of(RowCoder.of(merge.rowSchema())),
            ListCoder.of(RowCoder.of(merge.besideSchema())));
    this.changeCoder = RowCoder.of(merge.changeSchema());
  }

  /**
   * What is known of a key.
   *
   * @param rows its rows, with what guards them
   * @param kept its last delete, if it had one
   */
  record State(List<Row> rows, List<Row> kept) {
    static final State NONE = new State(List.of(), List.of());
  }

  /** Returns the columns and their types as text that says nothing else. */
  private static String description(Schema schema) {
    return schema.getFields().stream()
        .map(column -> column.getName() + " " + description(column.getType()))
        .collect(Collectors.joining(", ", "(", ")"));
  }

  private static String description(FieldType type) {
    String name =
        switch (type.getTypeName()) {
          case ROW -> description(type.getRowSchema());
          case ARRAY, ITERABLE -> "[" + description(type.getCollectionElementType()) + "]";
          case MAP -> description(type.getMapKeyType()) + "=" + description(type.getMapValueType());
          case LOGICAL_TYPE -> type.getLogicalType().getIdentifier();
          default -> type.getTypeName().name();
        };
    return type.getNullable() ? name + "?" : name;
  }

  static String tableName(FullName target) {
    return target.table() + "_changes";
  }

  /** Makes the table. */
  static void create(DSLContext context, Dialect dialect, FullName target) {
    context
        .createTableIfNotExists(table(target.beside(tableName(target))))
        .column(KEY, SQLDataType.VARCHAR(32).notNull())
        .column(STATE, dialect.anyText().notNull())
        .primaryKey(KEY)
        .execute();
  }

  /** Returns what is known of keys, and holds the locks of those of which anything is. */
  Map<Fingerprint, State> lock(Collection<Fingerprint> keys) {
    Map<Fingerprint, State> found = new TreeMap<>();
    context
        .select(KEY, STATE)
        .from(states)
        .where(KEY.in(keys.stream().map(Fingerprint::toString).toList()))
        .orderBy(KEY)
        .forUpdate()
        .fetch()
        .forEach(row -> found.put(Fingerprint.parse(row.get(KEY)), parse(row.get(STATE))));
    return found;
  }

  /** Returns the keys of which anything is known. */
  List<Fingerprint> keys() {
    return context
        .select(KEY)
        .from(states)
        .where(KEY.ne(TRUNCATE))
        .fetch(row -> Fingerprint.parse(row.get(KEY)));
  }

  /** Stores what became of keys. */
  void store(Set<Fingerprint> known, Map<Fingerprint, State> after) {
    List<Query> queries = new ArrayList<>();
    after.forEach(
        (key, state) ->
            queries.add(
                known.contains(key)
                    ? context.update(states).set(STATE, text(state)).where(KEY.eq(key.toString()))
                    : context.insertInto(states, KEY, STATE).values(key.toString(), text(state))));
    if (!queries.isEmpty()) {
      context.batch(queries).execute();
    }
  }

  /** Returns the latest truncate, null if there was none. */
  @Nullable Row truncated() {
    return context
        .select(STATE)
        .from(states)
        .where(KEY.eq(TRUNCATE))
        .fetchOptional(STATE)
        .map(text -> decode(changeCoder, text))
        .orElse(null);
  }

  /** Stores the latest truncate. */
  void truncate(Row change) {
    String text = encode(changeCoder, change);
    int updated = context.update(states).set(STATE, text).where(KEY.eq(TRUNCATE)).execute();
    if (updated == 0) {
      context.insertInto(states, KEY, STATE).values(TRUNCATE, text).execute();
    }
  }

  private String text(State state) {
    return encode(coder, KV.of(state.rows(), state.kept()));
  }

  private State parse(String text) {
    KV<List<Row>, List<Row>> state = decode(coder, text);
    return new State(state.getKey(), state.getValue());
  }

  private <T> String encode(Coder<T> with, T value) {
    try {
      return version
          + ":"
          + Base64.getEncoder().encodeToString(CoderUtils.encodeToByteArray(with, value));
    } catch (CoderException e) {
      throw new IllegalStateException("What is known of a key must be encodable.", e);
    }
  }

  private <T> T decode(Coder<T> with, String text) {
    int colon = text.indexOf(':');
    if (!text.substring(0, colon).equals(version)) {
      throw JdbcWriteErrors.otherChanges(states.getName());
    }
    try {
      return CoderUtils.decodeFromByteArray(
          with, Base64.getDecoder().decode(text.substring(colon + 1)));
    } catch (CoderException e) {
      throw new IllegalStateException("What is known of a key must be readable.", e);
    }
  }
}
