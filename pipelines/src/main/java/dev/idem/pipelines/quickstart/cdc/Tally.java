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
package dev.idem.pipelines.quickstart.cdc;

/**
 * What transactions did.
 *
 * @param committed transactions
 * @param rolledBack transactions
 * @param moved rows whose key was changed
 */
record Tally(
    long committed, long rolledBack, long inserted, long updated, long moved, long deleted) {

  static final Tally NOTHING = new Tally(0, 0, 0, 0, 0, 0);

  static Tally inserted(long rows) {
    return new Tally(0, 0, rows, 0, 0, 0);
  }

  static Tally updated(long rows) {
    return new Tally(0, 0, 0, rows, 0, 0);
  }

  static Tally moved(long rows) {
    return new Tally(0, 0, 0, 0, rows, 0);
  }

  static Tally deleted(long rows) {
    return new Tally(0, 0, 0, 0, 0, rows);
  }

  Tally commit() {
    return new Tally(committed + 1, rolledBack, inserted, updated, moved, deleted);
  }

  /** Returns a transaction that did nothing. */
  static Tally rollback() {
    return new Tally(0, 1, 0, 0, 0, 0);
  }

  Tally plus(Tally other) {
    return new Tally(
        committed + other.committed,
        rolledBack + other.rolledBack,
        inserted + other.inserted,
        updated + other.updated,
        moved + other.moved,
        deleted + other.deleted);
  }

  /** Returns how many changes of rows are sent; a row that moves is two. */
  long changes() {
    return inserted + updated + deleted + 2 * moved;
  }
}
