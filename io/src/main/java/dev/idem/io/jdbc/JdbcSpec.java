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

import dev.idem.io.jdbc.JdbcSpec.Deletes.None;
import dev.idem.transforms.changes.TableMerge;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What is written where, and how.
 *
 * @param source gives connections, on the worker that asks
 * @param table the table as the user named it
 * @param mode how rows meet those that are there
 * @param keys the columns that identify a row; none if rows are appended
 * @param sequence the columns that order the rows of a key; none if the last one counts
 * @param deletes which rows are deletes, and what becomes of them
 * @param ignored fields of the rows that are not written
 * @param merge what changes come to, null if rows are no changes
 * @param chunkRows how many rows are written by one set of statements at most
 * @param attempts how often a transaction is tried
 * @param leastPause the first pause between two attempts
 * @param mostPause the longest pause between two attempts
 * @param timeout how long a statement may take, or the network be silent
 */
record JdbcSpec(
    SerializableFunction<Void, DataSource> source,
    String table,
    Mode mode,
    List<String> keys,
    List<String> sequence,
    Deletes deletes,
    Set<String> ignored,
    @Nullable TableMerge merge,
    int chunkRows,
    int attempts,
    Duration leastPause,
    Duration mostPause,
    Duration timeout)
    implements Serializable {

  /** How rows meet those that are there. */
  enum Mode {
    APPEND,
    UPSERT,
    UPSERT_NEWER,
    CHANGES
  }

  /** Which rows are deletes, and what becomes of them. */
  sealed interface Deletes extends Serializable {

    /** Returns the field that says it; null if no row is a delete. */
    @Nullable String column();

    /** Returns the field's value in a delete, as text. */
    @Nullable String value();

    /** No row is one. */
    record None() implements Deletes {
      @Override
      public @Nullable String column() {
        return null;
      }

      @Override
      public @Nullable String value() {
        return null;
      }
    }

    /**
     * Rows with this value in this column are, and leave the table; their keys stay in a table
     * beside it.
     */
    record Tombstones(String column, String value, Duration retention) implements Deletes {}

    /** Rows with this value in this column are, and stay with a mark in another one. */
    record Soft(String column, String value, String mark) implements Deletes {}
  }

  /** Returns what merges changes. */
  JdbcSpec merging(TableMerge changes) {
    return new JdbcSpec(
        source,
        table,
        mode,
        changes.keys(),
        sequence,
        deletes,
        ignored,
        changes,
        chunkRows,
        attempts,
        leastPause,
        mostPause,
        timeout);
  }

  /** Returns what writes rows by key, as they are, and takes them away. */
  JdbcSpec upserting(List<String> byKeys, Deletes deleted) {
    return new JdbcSpec(
        source,
        table,
        Mode.UPSERT,
        byKeys,
        List.of(),
        deleted,
        Set.of(),
        null,
        chunkRows,
        attempts,
        leastPause,
        mostPause,
        timeout);
  }

  boolean hasTombstones() {
    return deletes instanceof Deletes.Tombstones && mode == Mode.UPSERT_NEWER;
  }

  boolean hasDeletes() {
    return !(deletes instanceof None);
  }
}
