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

import dev.idem.transforms.changes.ApplyChanges;
import java.util.List;

/**
 * Writes of rows to a table of a database that hold once, however often they are written. The
 * method says what becomes of a row whose key is there:
 *
 * <ul>
 *   <li>{@link #upsert}: it is replaced.
 *   <li>{@link #upsertNewer}: it is replaced by a newer one; an older one changes nothing.
 *   <li>{@link #applyChanges}: rows are changes, and are merged as {@link ApplyChanges} says.
 *   <li>{@link #appendOncePerBatch}: there is no key; rows are added, once a batch.
 * </ul>
 *
 * <p>Each writes under batch ids, which the table remembers in the transaction of its rows; see
 * {@link WriteJdbcRows}.
 */
public final class JdbcUpsertIO {

  private JdbcUpsertIO() {}

  /**
   * Replaces or adds rows by key. Of rows of one key in a batch one is written, the last of its
   * shard; if their order matters, use {@link #upsertNewer}.
   *
   * @param keys the columns that identify a row; the table has a unique constraint over them
   */
  public static WriteJdbcRows upsert(String... keys) {
    return WriteJdbcRows.of(JdbcSpec.Mode.UPSERT, List.of(keys), List.of());
  }

  /**
   * Replaces or adds rows by key, unless the row that is there is as new.
   *
   * @param keys the columns that identify a row; the table has a unique constraint over them
   * @param sequence the columns that order the rows of a key; the first that differs decides. They
   *     are columns of the table; a row there with a null in one is older than any other value.
   */
  public static WriteJdbcRows upsertNewer(List<String> keys, String... sequence) {
    return WriteJdbcRows.of(JdbcSpec.Mode.UPSERT_NEWER, keys, List.of(sequence));
  }

  /**
   * Merges changes by key, in the order of their sequence, with the rules of {@link ApplyChanges}:
   * the table holds the latest rows, as every other target of such changes would. What is known of
   * a key is in {@code <table>_changes}, so that the table has no column but those of the rows, and
   * a row that somebody else wrote is older than every change.
   *
   * @param changes what the changes mean; the table has a unique constraint over their keys
   */
  public static WriteJdbcRows applyChanges(ApplyChanges changes) {
    return WriteJdbcRows.of(JdbcSpec.Mode.CHANGES, List.of(), List.of()).merging(changes);
  }

  /**
   * Adds rows, once a batch; for tables without a key.
   *
   * @param applicationId names the application to the table
   */
  public static WriteJdbcRows appendOncePerBatch(String applicationId) {
    return WriteJdbcRows.of(JdbcSpec.Mode.APPEND, List.of(), List.of()).by(applicationId);
  }
}
