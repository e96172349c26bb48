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

import static org.jooq.impl.DSL.currentTimestamp;
import static org.jooq.impl.DSL.excluded;
import static org.jooq.impl.DSL.field;
import static org.jooq.impl.DSL.inline;
import static org.jooq.impl.DSL.name;
import static org.jooq.impl.DSL.noCondition;
import static org.jooq.impl.DSL.notExists;
import static org.jooq.impl.DSL.primaryKey;
import static org.jooq.impl.DSL.rowNumber;
import static org.jooq.impl.DSL.select;
import static org.jooq.impl.DSL.selectOne;
import static org.jooq.impl.DSL.table;
import static org.jooq.impl.DSL.timestampSub;
import static org.jooq.impl.DSL.when;

import dev.idem.io.jdbc.JdbcSpec.Deletes;
import dev.idem.io.jdbc.JdbcSpec.Mode;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.DatePart;
import org.jooq.Field;
import org.jooq.Name;
import org.jooq.OrderField;
import org.jooq.Record;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.SQLDataType;

/*
 * Rows are staged in a temporary table with the target's own columns, so that the database itself
 * decides which keys are equal. Of each key one row counts: the one of the greatest sequence, at
 * equal sequence a delete, then the one that was staged last; without a sequence the last one.
 * Then, in this order and by key, so
 * that two transactions lock in one order:
 *
 *   tombstones of deletes, unless there is a later one
 *   rows that are not newer than their key's delete leave
 *   rows come, unless their key's tombstone or row is as new
 *
 * MySQL sets columns one after another, and a guard reads what was set before it. So the sequence
 * columns are set last, the last of them first: the guard "newer" is then, for each column, either
 * still what it was, or says that the column need not change.
 *
 * A delete and an insert of one key by two applications at once would not see each other: the one
 * finds no row, the other no tombstone. So both hold the lock of the key's bucket.
 */
/** The statements by which staged rows get into a table. */
final class MergeStatements {

  private static final Field<Long> NUMBER = field(name("idem_number"), Long.class);
  private static final Field<Integer> DELETE = field(name("idem_delete"), Integer.class);
  private static final Field<Integer> RANK = field(name("idem_rank"), Integer.class);
  private static final Field<Timestamp> DELETED_AT =
      field(name("idem_deleted_at"), Timestamp.class);
  private static final Field<Timestamp> DELETED_AT_NOW = currentTimestamp().as(DELETED_AT);
  private static final String STAGED = "idem_staged";

  private final Dialect dialect;
  private final JdbcSpec spec;
  private final Table<Record> target;
  private final Table<Record> stage;
  private final Table<Record> tombstones;
  private final List<String> columns;
  private final List<String> keys;
  private final List<String> sequence;
  private final @Nullable String mark;

  /**
   * Prepares the statements.
   *
   * @param columns the columns that rows have, by their names in the table
   */
  MergeStatements(
      Dialect dialect, JdbcSpec spec, TableDescription description, List<Column> columns) {
    this.dialect = dialect;
    this.spec = spec;
    this.target = table(description.name().name());
    this.tombstones = table(description.name().beside(tombstoneTable(description)));
    this.columns = columns.stream().map(Column::name).toList();
    this.keys = names(description, spec.keys());
    this.sequence = names(description, spec.sequence());
    this.mark =
        spec.deletes() instanceof Deletes.Soft soft
            ? names(description, List.of(soft.mark())).get(0)
            : null;
    // Where all sessions see it, a table that gets other columns gets another stage.
    this.stage =
        table(
            name(
                "idem_stage_"
                    + Integer.toHexString(
                        columns.toString().hashCode() ^ description.name().hashCode())));
  }

  static String tombstoneTable(TableDescription description) {
    return description.name().table() + "_tombstone";
  }

  private static List<String> names(TableDescription description, List<String> given) {
    return given.stream().map(each -> description.column(each).orElseThrow().name()).toList();
  }

  /** Returns the table that rows are loaded into. */
  Name loaded() {
    return (spec.mode() == Mode.APPEND ? target : stage).getQualifiedName();
  }

  List<String> columns() {
    return columns;
  }

  /** Makes the table of tombstones if it is not there. */
  void createTombstones(DSLContext context) {
    List<Field<?>> fields = new ArrayList<>(fields(keys));
    fields.addAll(fields(sequence));
    fields.add(DELETED_AT_NOW);
    context.createTable(tombstones).as(select(fields).from(target)).withNoData().execute();
    if (dialect.family() == Dialect.Family.STANDARD) {
      for (String key : keys) {
        context.alterTable(tombstones).alterColumn(plain(key)).setNotNull().execute();
      }
    }
    context.alterTable(tombstones).add(primaryKey(fields(keys).toArray(Field[]::new))).execute();
  }

  /** Makes an empty table to stage rows in; it goes with the transaction or the session. */
  void createStage(DSLContext context) {
    if (spec.mode() == Mode.APPEND) {
      return;
    }
    List<Field<?>> fields = new ArrayList<>(fields(columns));
    fields.add(inline(0L).cast(SQLDataType.BIGINT).as(NUMBER));
    fields.add(inline(0).cast(SQLDataType.INTEGER).as(DELETE));
    Select<?> none = select(fields).from(target);
    if (dialect.family() == Dialect.Family.POSTGRES) {
      context.createTemporaryTable(stage).as(none).withNoData().onCommitDrop().execute();
    } else {
      if (dialect.family() == Dialect.Family.MYSQL) {
        // One of the session's, made when the table had other columns.
        context.dropTemporaryTableIfExists(stage).execute();
      }
      context.createTemporaryTableIfNotExists(stage).as(none).withNoData().execute();
    }
  }

  /** Empties the stage. */
  void clearStage(DSLContext context) {
    if (spec.mode() == Mode.APPEND) {
      return;
    }
    if (dialect.family() == Dialect.Family.POSTGRES) {
      context.truncate(stage).execute();
    } else {
      // Elsewhere to truncate is to commit.
      context.deleteFrom(stage).execute();
    }
  }

  /** Brings the staged rows into the table. */
  void merge(DSLContext context) {
    if (spec.mode() == Mode.APPEND) {
      return;
    }
    if (spec.hasTombstones()) {
      List<String> last = new ArrayList<>(sequence);
      last.add(DELETED_AT.getName());
      Collections.reverse(last);
      List<String> inserted = concat(keys, sequence);
      inserted.add(DELETED_AT.getName());
      upsert(context, tombstones, inserted, last, DELETE.eq(1), noCondition());
    }
    if (spec.deletes() instanceof Deletes.Tombstones) {
      delete(context);
    }
    Condition stays = mark == null ? DELETE.eq(0) : noCondition();
    upsert(context, target, columns, columnsToSet(), stays, notOlderThanTombstone());
  }

  /** Forgets the keys of deletes that are older than they are retained. */
  void forgetTombstones(DSLContext context) {
    if (spec.deletes() instanceof Deletes.Tombstones kept && spec.hasTombstones()) {
      context
          .deleteFrom(tombstones)
          .where(
              DELETED_AT.lt(
                  timestampSub(
                      currentTimestamp(), (int) kept.retention().toSeconds(), DatePart.SECOND)))
          .execute();
    }
  }

  private static List<String> concat(List<String> first, List<String> second) {
    List<String> all = new ArrayList<>(first);
    all.addAll(second);
    return all;
  }

  /** Returns the columns of a row that an upsert sets, those of the sequence last and backwards. */
  private List<String> columnsToSet() {
    List<String> set = new ArrayList<>(columns);
    set.removeAll(keys);
    set.removeAll(sequence);
    List<String> last = new ArrayList<>(sequence);
    last.removeAll(keys);
    Collections.reverse(last);
    set.addAll(last);
    return set;
  }

  private Condition notOlderThanTombstone() {
    return spec.hasTombstones()
        ? notExists(
            selectOne()
                .from(tombstones)
                .where(sameKey(this::staged, column -> of(tombstones, column)))
                .and(newer(this::staged, column -> of(tombstones, column)).not()))
        : noCondition();
  }

  private void delete(DSLContext context) {
    Table<?> staged = latest(DELETE.eq(1), noCondition());
    Condition old =
        spec.mode() == Mode.UPSERT
            ? noCondition()
            : newer(this::staged, column -> of(target, column))
                .or(sameSequence(this::staged, column -> of(target, column)));
    Condition same = sameKey(this::staged, column -> of(target, column));
    if (dialect.family() == Dialect.Family.STANDARD) {
      context.mergeInto(target).using(staged).on(same).whenMatchedAnd(old).thenDelete().execute();
    } else {
      context.deleteFrom(target).using(staged).where(same).and(old).execute();
    }
  }

  /** Returns the row of each key that counts, in the order of keys. */
  private Table<?> latest(Condition which, Condition and) {
    List<OrderField<?>> order = new ArrayList<>();
    sequence.forEach(column -> order.add(field(name(column)).desc()));
    if (spec.mode() == Mode.UPSERT_NEWER) {
      order.add(DELETE.desc());
    }
    order.add(NUMBER.desc());
    List<Field<?>> fields = new ArrayList<>(fields(columns));
    fields.add(DELETE);
    Condition first = noCondition();
    Select<?> ranked;
    if (dialect.family() == Dialect.Family.POSTGRES) {
      List<OrderField<?>> keysFirst = new ArrayList<>(fields(keys));
      keysFirst.addAll(order);
      ranked = select(fields).distinctOn(fields(keys)).from(stage).orderBy(keysFirst);
    } else {
      fields.add(rowNumber().over().partitionBy(fields(keys)).orderBy(order).as(RANK));
      ranked = select(fields).from(stage);
      first = RANK.eq(1);
    }
    return select(fields(columns))
        .from(ranked.asTable(name(STAGED)))
        .where(first)
        .and(which)
        .and(and)
        .orderBy(fields(keys))
        .asTable(name(STAGED));
  }

  private void upsert(
      DSLContext context,
      Table<?> into,
      List<String> inserted,
      List<String> set,
      Condition which,
      Condition and) {
    switch (dialect.family()) {
      case POSTGRES -> {
        var insert =
            context
                .insertInto(into, fields(inserted))
                .select(rows(inserted, which, and))
                .onConflict(fields(keys));
        if (set.isEmpty()) {
          insert.doNothing().execute();
        } else {
          insert
              .doUpdate()
              .set(assignments(set, column -> excluded(plain(column)), into, false))
              .where(guard(column -> excluded(plain(column)), column -> of(into, column)))
              .execute();
        }
      }
      case MYSQL ->
          context
              .insertInto(into, fields(inserted))
              .select(rows(inserted, which, and))
              .onDuplicateKeyUpdate()
              .set(
                  assignments(
                      set.isEmpty() ? keys.subList(0, 1) : set,
                      column -> values(column),
                      into,
                      true))
              .execute();
      case STANDARD -> {
        var merge =
            context
                .mergeInto(into)
                .using(latest(which, and))
                .on(sameKey(this::staged, column -> of(into, column)));
        var insert =
            set.isEmpty()
                ? merge.whenNotMatchedThenInsert(fields(inserted))
                : merge
                    .whenMatchedAnd(guard(this::staged, column -> of(into, column)))
                    .thenUpdate()
                    .set(assignments(set, this::staged, into, false))
                    .whenNotMatchedThenInsert(fields(inserted));
        insert.values(inserted.stream().map(this::staged).toList()).execute();
      }
    }
  }

  private Select<?> rows(List<String> inserted, Condition which, Condition and) {
    return select(inserted.stream().map(this::staged).toList())
        .from(latest(which, and))
        .orderBy(keys.stream().map(this::staged).toList());
  }

  private Condition guard(
      Function<String, Field<Object>> incoming, Function<String, Field<Object>> stored) {
    if (spec.mode() != Mode.UPSERT_NEWER) {
      return noCondition();
    }
    Condition newer = newer(incoming, stored);
    return mark != null
        ? newer.or(
            sameSequence(incoming, stored)
                .and(isTrue(incoming.apply(mark)))
                .and(isTrue(stored.apply(mark)).not()))
        : newer;
  }

  private static Condition isTrue(Field<?> mark) {
    return mark.cast(SQLDataType.BOOLEAN).isTrue();
  }

  private Map<Field<?>, Object> assignments(
      List<String> set, Function<String, Field<Object>> incoming, Table<?> into, boolean guarded) {
    Map<Field<?>, Object> assignments = new LinkedHashMap<>();
    Condition guard = guarded ? guard(incoming, column -> of(into, column)) : noCondition();
    for (String column : set) {
      Field<Object> value = incoming.apply(column);
      if (mark != null && !column.equals(mark) && !sequence.contains(column)) {
        // A delete tells that the row is gone, and nothing of what it was.
        value = when(isTrue(incoming.apply(mark)), of(into, column)).otherwise(value);
      }
      assignments.put(
          plain(column),
          guarded && spec.mode() == Mode.UPSERT_NEWER
              ? when(guard, value).otherwise(of(into, column))
              : value);
    }
    return assignments;
  }

  /** Returns whether a sequence is greater than another one; one with a null is less. */
  private Condition newer(
      Function<String, Field<Object>> incoming, Function<String, Field<Object>> stored) {
    Condition newer = null;
    Condition equal = noCondition();
    for (String column : sequence) {
      Field<Object> mine = incoming.apply(column);
      Field<Object> other = stored.apply(column);
      Condition here = equal.and(mine.gt(other).or(other.isNull()));
      newer = newer == null ? here : newer.or(here);
      equal = equal.and(mine.eq(other));
    }
    return newer;
  }

  private Condition sameSequence(
      Function<String, Field<Object>> one, Function<String, Field<Object>> other) {
    Condition same = noCondition();
    for (String column : sequence) {
      same = same.and(one.apply(column).eq(other.apply(column)));
    }
    return same;
  }

  private Condition sameKey(
      Function<String, Field<Object>> one, Function<String, Field<Object>> other) {
    Condition same = noCondition();
    for (String key : keys) {
      same = same.and(one.apply(key).eq(other.apply(key)));
    }
    return same;
  }

  private Field<Object> staged(String column) {
    return column.equals(DELETED_AT.getName())
        ? field("{0}", Object.class, currentTimestamp())
        : field(name(STAGED, column));
  }

  private static Field<Object> of(Table<?> table, String column) {
    return field(table.getQualifiedName().append(column));
  }

  private static Field<Object> plain(String column) {
    return field(name(column));
  }

  /** MySQL's name for what is being inserted; MariaDB has no other. */
  private static Field<Object> values(String column) {
    return field("values({0})", Object.class, plain(column));
  }

  private static List<Field<Object>> fields(List<String> columns) {
    return columns.stream().map(MergeStatements::plain).toList();
  }
}
