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

import dev.idem.transforms.changes.KeyHistory.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * The history of a key as rows: its versions, which a table shows, and beside them the changes that
 * no version tells of, which a late change may bring to light.
 *
 * <p>Hidden are upserts that changed nothing that is tracked, deletes of what was not there, and
 * the first change of a version whose other columns a later one set. Without hidden changes that
 * are gone, a late change before them is applied as if they had not happened.
 */
final class HistoryRows {
  private final Schema rowSchema;
  private final Cells cells;
  private final SequenceValues sequences;
  private final ChangeRows changeRows;
  private final Schema shown;
  private final Schema versions;

  HistoryRows(
      Schema rowSchema,
      Cells cells,
      SequenceValues sequences,
      ChangeRows changeRows,
      String start,
      String end) {
    this.rowSchema = rowSchema;
    this.cells = cells;
    this.sequences = sequences;
    this.changeRows = changeRows;
    this.shown =
        Schema.builder()
            .addFields(rowSchema.getFields())
            .addField(start, sequences.type())
            .addNullableField(end, sequences.type())
            .build();
    Schema.Builder version = Schema.builder().addFields(shown.getFields());
    if (!cells.isOneForAll()) {
      version.addNullableField(ChangeRows.CARRIED, FieldType.array(FieldType.STRING));
    }
    this.versions = version.build();
  }

  /** Returns the schema of versions with what is needed to apply further changes. */
  Schema schema() {
    return versions;
  }

  /** Returns the versions with what is needed to apply further changes. */
  List<Row> versions(KeyHistory history) {
    return history.versions().stream()
        .map(
            version -> {
              List<@Nullable Object> values = values(version);
              if (!cells.isOneForAll()) {
                values.add(changeRows.carried(version.changes().get(0)));
              }
              return Row.withSchema(versions).attachValues(values);
            })
        .toList();
  }

  /** Returns the schema of versions without what only further changes need. */
  Schema shownSchema() {
    return shown;
  }

  List<Row> shown(KeyHistory history) {
    return history.versions().stream()
        .map(version -> Row.withSchema(shown).attachValues(values(version)))
        .toList();
  }

  private List<@Nullable Object> values(Version version) {
    List<@Nullable Object> values = new ArrayList<>(version.row().getValues());
    values.add(sequences.toValue(version.start()));
    values.add(version.end() == null ? null : sequences.toValue(version.end()));
    return values;
  }

  /**
   * Returns the changes that have to be kept beside the versions because these do not tell of them.
   *
   * @param kept the changes that are kept there by now, by their sequence
   */
  List<Change> hidden(KeyHistory history, Map<Row, Change> kept) {
    Set<Row> starts = new HashSet<>();
    Set<Row> ends = new HashSet<>();
    for (Version version : history.versions()) {
      Change first = version.changes().get(0);
      if (tells(version.row(), first)) {
        starts.add(first.sequence());
      }
      ends.add(version.end());
    }
    // What is kept is read first, so it has to be right even where a version tells the same.
    return history.changes().stream()
        .filter(
            change ->
                kept.containsKey(change.sequence())
                    ? !kept.get(change.sequence()).equals(change)
                    : !(change.isDelete() ? ends : starts).contains(change.sequence()))
        .toList();
  }

  /** Returns whether a row has all that a change set. */
  private boolean tells(Row row, Change change) {
    @Nullable Object[] values = cells.read(row);
    return IntStream.range(0, cells.size())
        .allMatch(
            i ->
                change.cells()[i] == Change.NOT_CARRIED
                    || cells.compare(i, values[i], change.cells()[i]) == 0);
  }

  /** Adds to a history what versions and the changes kept beside them tell. */
  void read(List<Row> versionRows, Map<Row, Change> kept, KeyHistory history) {
    kept.values().forEach(history::add);
    Set<Row> told = new HashSet<>(kept.keySet());
    Set<Row> ends = new HashSet<>();
    int start = rowSchema.getFieldCount();
    for (Row row : versionRows) {
      Row sequence = sequences.toSequence(row.getValue(start));
      // Somebody else may have added another version of the same sequence.
      if (!kept.containsKey(sequence)) {
        history.add(changeRows.upsert(row, sequence, carried(row)));
        told.add(sequence);
      }
      if (row.getValue(start + 1) != null) {
        ends.add(sequences.toSequence(row.getValue(start + 1)));
      }
    }
    ends.removeAll(told);
    ends.forEach(end -> history.add(Change.delete(end)));
  }

  /** Somebody else's row carries all its columns. */
  private @Nullable Set<Object> carried(Row version) {
    return cells.isOneForAll() || version.getArray(ChangeRows.CARRIED) == null
        ? null
        : new HashSet<>(version.getArray(ChangeRows.CARRIED));
  }
}
