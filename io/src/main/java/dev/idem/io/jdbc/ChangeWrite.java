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

import dev.idem.io.jdbc.JdbcSpec.Deletes;
import dev.idem.io.jdbc.KeyStates.State;
import dev.idem.transforms.changes.InvalidChange;
import dev.idem.transforms.changes.MergedKey;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.external.DeadLetter;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * What decides about a key is in its state, beside the table: its row as the changes made it, with
 * their sequences, or its delete. The table itself is only written. So the rules are those of every
 * other target, to the last tie, and the table has no column that its readers do not want.
 *
 * States are locked in the order of the keys' fingerprints. A key that has none yet gets one by an
 * INSERT: if another application makes it at the same time, one of them fails and begins again.
 */
/** Merges changes into a table, by key and in the order of their sequence. */
final class ChangeWrite implements ShardWrite {

  private static final String OPERATION = "idem_operation";
  private static final String DELETE = "delete";
  private static final String UPSERT = "upsert";

  private final TableMerge merge;
  private final Predicate<Fingerprint> ofShard;
  private final KeyStates states;
  private final RowWrite table;
  private final Schema written;
  private final List<String> columns;
  private final int chunk;
  private final Map<Fingerprint, List<Row>> changes = new TreeMap<>();
  private final Map<Fingerprint, List<Row>> carriers = new TreeMap<>();
  private final List<DeadLetter<Row>> letters = new ArrayList<>();
  private @Nullable Row truncated;
  private long taken;

  /**
   * Prepares to write.
   *
   * @param ofShard whether a key is of this shard
   */
  ChangeWrite(
      Connection connection,
      Dialect dialect,
      JdbcSpec spec,
      TableDescription target,
      TableMerge merge,
      Predicate<Fingerprint> ofShard) {
    this.merge = merge;
    this.ofShard = ofShard;
    this.states = new KeyStates(dialect.on(connection), target.name(), merge);
    this.columns = columns(merge);
    this.written = written(merge.rowSchema(), columns);
    JdbcSpec upserts = upserts(spec);
    this.table =
        new RowWrite(
            connection, dialect, upserts, target, new RowMapping(written, target, upserts));
    this.chunk = Math.min(spec.chunkRows(), 1_000);
  }

  private static JdbcSpec upserts(JdbcSpec spec) {
    return spec.upserting(
        spec.merge().keys(), new Deletes.Tombstones(OPERATION, DELETE, Duration.ofDays(1)));
  }

  /** Refuses a table that does not take the rows that changes come to. */
  static void requireFit(JdbcSpec spec, TableDescription target) {
    TableMerge merge = spec.merge();
    new RowMapping(written(merge.rowSchema(), columns(merge)), target, upserts(spec));
  }

  private static List<String> columns(TableMerge merge) {
    return merge.rowSchema().getFieldNames().stream()
        .filter(column -> !column.startsWith("_idem_"))
        .toList();
  }

  /** Returns the schema of rows as they are written: all is null in a delete but the key. */
  static Schema written(Schema rows, List<String> columns) {
    Schema.Builder schema = Schema.builder();
    for (String column : columns) {
      Field field = rows.getField(column);
      schema.addField(column, field.getType().withNullable(true));
    }
    return schema.addStringField(OPERATION).build();
  }

  @Override
  public void add(Row carrier, Row row) {
    Optional<InvalidChange> invalid = merge.invalid(row);
    if (invalid.isPresent()) {
      letters.add(
          new DeadLetter<>(
              carrier,
              "",
              invalid.get().reason().toString(),
              "Column \"" + invalid.get().column() + "\" has: " + invalid.get().reason() + ".",
              1));
      return;
    }
    Row change = merge.change(row);
    taken++;
    if (merge.isTruncate(change)) {
      truncated = merge.later(truncated, change);
      return;
    }
    Fingerprint key = merge.keyOfChange(change);
    changes.computeIfAbsent(key, unused -> new ArrayList<>()).add(change);
    carriers.computeIfAbsent(key, unused -> new ArrayList<>()).add(carrier);
  }

  @Override
  public void finish() throws SQLException, IOException {
    Row truncate = states.truncated();
    Set<Fingerprint> keys = new TreeSet<>(changes.keySet());
    if (truncated != null) {
      if (truncate == null || merge.isLater(truncated, truncate)) {
        states.truncate(truncated);
        truncate = truncated;
      }
      // Also if another shard was here first: each takes its own keys.
      states.keys().stream().filter(ofShard).forEach(keys::add);
    }
    List<Fingerprint> sorted = List.copyOf(keys);
    for (int from = 0; from < sorted.size(); from += chunk) {
      merge(sorted.subList(from, Math.min(sorted.size(), from + chunk)), truncate);
    }
  }

  private void merge(List<Fingerprint> keys, @Nullable Row truncate)
      throws SQLException, IOException {
    Map<Fingerprint, State> before = states.lock(keys);
    Map<Fingerprint, State> after = new TreeMap<>();
    Map<Fingerprint, Row> rows = new TreeMap<>();
    for (Fingerprint key : keys) {
      List<Row> ofKey = changes.getOrDefault(key, List.of());
      State held = before.getOrDefault(key, State.NONE);
      if (!ofKey.isEmpty() || !held.rows().isEmpty()) {
        merge(key, ofKey, held, truncate, after, rows);
      }
    }
    write(before, after, rows);
  }

  /** Finds what becomes of a key: its state, and the row that is written, if anything changes. */
  private void merge(
      Fingerprint key,
      List<Row> ofKey,
      State before,
      @Nullable Row truncate,
      Map<Fingerprint, State> after,
      Map<Fingerprint, Row> rows) {
    MergedKey merged = merge.merge(ofKey, before.rows(), before.kept(), truncate);
    if (merged.rows().isEmpty() && merged.leaving().isEmpty() && merged.changes().isEmpty()) {
      return;
    }
    List<Row> live = new ArrayList<>();
    for (int i = 0; i < before.rows().size(); i++) {
      if (!merged.leaving().get(i)) {
        live.add(before.rows().get(i));
      }
    }
    live.addAll(merged.rows());
    Row kept = null;
    for (Row change : before.kept()) {
      kept = merge.later(kept, change);
    }
    for (Row change : merged.changes()) {
      kept = merge.later(kept, change);
    }
    after.put(key, new State(live, kept == null ? List.of() : List.of(kept)));
    Row named =
        live.isEmpty() ? (ofKey.isEmpty() ? before.rows().get(0) : ofKey.get(0)) : live.get(0);
    rows.put(key, row(named, live.isEmpty()));
  }

  private Row row(Row named, boolean delete) {
    Row.Builder row = Row.withSchema(written);
    for (String column : columns) {
      boolean shown = !delete || merge.keys().contains(column);
      row.addValue(shown ? named.getValue(column) : null);
    }
    return row.addValue(delete ? DELETE : UPSERT).build();
  }

  private void write(
      Map<Fingerprint, State> before, Map<Fingerprint, State> after, Map<Fingerprint, Row> rows)
      throws SQLException, IOException {
    IdentityHashMap<Row, Fingerprint> byRow = new IdentityHashMap<>();
    int refusedBefore = table.letters().size();
    for (Map.Entry<Fingerprint, Row> each : rows.entrySet()) {
      byRow.put(each.getValue(), each.getKey());
      table.add(each.getValue(), each.getValue());
    }
    table.finish();
    List<DeadLetter<Row>> refused = table.letters().subList(refusedBefore, table.letters().size());
    for (DeadLetter<Row> letter : refused) {
      Fingerprint key = byRow.get(letter.record());
      after.remove(key);
      for (Row carrier : carriers.getOrDefault(key, List.of())) {
        taken--;
        letters.add(
            new DeadLetter<>(
                carrier, letter.key(), letter.errorClass(), letter.message(), letter.attempts()));
      }
    }
    states.store(before.keySet(), after);
  }

  @Override
  public long written() {
    return taken;
  }

  @Override
  public List<DeadLetter<Row>> letters() {
    return letters;
  }
}
