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
  private static final String SEQUENCE = ChangeLayout.RESERVED + "sequence";
  private static final String DELETED = ChangeLayout.RESERVED + "deleted";
  private static final String CARRIED = ChangeLayout.RESERVED + "columns";

  private final Schema rowSchema;
  private final Cells cells;
  private final SequenceValues sequences;
  private final Schema shown;
  private final Schema versions;
  private final Schema hidden;

  HistoryRows(Schema rowSchema, Cells cells, SequenceValues sequences, String start, String end) {
    this.rowSchema = rowSchema;
    this.cells = cells;
    this.sequences = sequences;
    this.shown =
        Schema.builder()
            .addFields(rowSchema.getFields())
            .addField(start, sequences.type())
            .addNullableField(end, sequences.type())
            .build();
    Schema.Builder version = Schema.builder().addFields(shown.getFields());
    Schema.Builder change =
        Schema.builder()
            .addFields(rowSchema.getFields().stream().map(f -> f.withNullable(true)).toList())
            .addField(SEQUENCE, sequences.type())
            .addBooleanField(DELETED);
    if (!cells.isOneForAll()) {
      version.addArrayField(CARRIED, FieldType.STRING);
      change.addArrayField(CARRIED, FieldType.STRING);
    }
    this.versions = version.build();
    this.hidden = change.build();
  }

  /** Returns the versions with what is needed to apply further changes. */
  List<Row> versions(KeyHistory history) {
    return history.versions().stream()
        .map(
            version -> {
              List<@Nullable Object> values = values(version);
              addCarried(values, version.changes().get(0));
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

  private void addCarried(List<@Nullable Object> values, Change change) {
    if (!cells.isOneForAll()) {
      values.add(
          IntStream.range(0, cells.size())
              .filter(i -> !change.isDelete() && change.cells()[i] != Change.NOT_CARRIED)
              .mapToObj(cells::name)
              .toList());
    }
  }

  List<Row> hidden(KeyHistory history) {
    Set<Row> starts = new HashSet<>();
    Set<Row> ends = new HashSet<>();
    for (Version version : history.versions()) {
      Change first = version.changes().get(0);
      if (tells(version.row(), first)) {
        starts.add(first.sequence());
      }
      ends.add(version.end());
    }
    return history.changes().stream()
        .filter(change -> !(change.isDelete() ? ends : starts).contains(change.sequence()))
        .map(change -> hidden(history.key(), change))
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

  private Row hidden(Row key, Change change) {
    Row row = cells.row(key, change.isDelete() ? cells.nothing() : change.cells());
    List<@Nullable Object> values = new ArrayList<>(row.getValues());
    values.add(sequences.toValue(change.sequence()));
    values.add(change.isDelete());
    addCarried(values, change);
    return Row.withSchema(hidden).attachValues(values);
  }

  /** Adds to a history what versions and hidden changes of its key tell. */
  void read(Iterable<Row> versionRows, Iterable<Row> hiddenRows, KeyHistory history) {
    Set<Row> told = new HashSet<>();
    for (Row row : hiddenRows) {
      Row sequence = sequences.toSequence(row.getValue(SEQUENCE));
      told.add(sequence);
      history.add(row.getBoolean(DELETED) ? Change.delete(sequence) : upsert(row, sequence));
    }
    Set<Row> ends = new HashSet<>();
    int start = rowSchema.getFieldCount();
    for (Row row : versionRows) {
      Row sequence = sequences.toSequence(row.getValue(start));
      if (told.add(sequence)) {
        history.add(upsert(row, sequence));
      }
      if (row.getValue(start + 1) != null) {
        ends.add(sequences.toSequence(row.getValue(start + 1)));
      }
    }
    ends.removeAll(told);
    ends.forEach(end -> history.add(Change.delete(end)));
  }

  private Change upsert(Row row, Row sequence) {
    @Nullable Object[] values =
        cells.read(
            Row.withSchema(rowSchema)
                .attachValues(row.getValues().subList(0, rowSchema.getFieldCount())));
    if (!cells.isOneForAll()) {
      Set<Object> carried = new HashSet<>(row.getArray(CARRIED));
      for (int i = 0; i < values.length; i++) {
        values[i] = carried.contains(cells.name(i)) ? values[i] : Change.NOT_CARRIED;
      }
    }
    return Change.upsert(sequence, values);
  }
}
