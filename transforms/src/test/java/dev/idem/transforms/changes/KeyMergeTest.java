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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;

class KeyMergeTest {
  private static final Schema CHANGE =
      Schema.builder()
          .addInt64Field("id")
          .addNullableField("seq", FieldType.INT64)
          .addStringField("op")
          .addNullableField("value", FieldType.STRING)
          .build();

  private final TableMerge table =
      TableMerge.of(
          ApplyChanges.keys("id")
              .sequenceBy("seq")
              .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
              .columns("id", "value"),
          CHANGE);

  private Row change(long seq, String op, String value) {
    return table.change(Row.withSchema(CHANGE).addValues(1L, seq, op, value).build());
  }

  private Row held(String value, Long sequence) {
    return Row.withSchema(table.rowSchema()).addValues(1L, value, sequence).build();
  }

  private static BitSet rows(int... indexes) {
    BitSet rows = new BitSet();
    IntStream.of(indexes).forEach(rows::set);
    return rows;
  }

  private MergedKey merge(Row change, List<Row> rows, List<Row> tombstones) {
    return table.merge(List.of(change), rows, tombstones, null);
  }

  @Test
  void rowWithoutSequenceIsOlderThanEveryChange() {
    List<Row> old = List.of(held("old", null));
    var upserted = merge(change(Long.MIN_VALUE, "upsert", "new"), old, List.of());
    Row delete = change(Long.MIN_VALUE, "delete", null);
    var deleted = merge(delete, old, List.of());

    assertThat(
        upserted,
        equalTo(
            new MergedKey(rows(0), List.of(held("new", Long.MIN_VALUE)), List.of(), false, 0, 0)));
    assertThat(
        deleted,
        equalTo(new MergedKey(rows(0), List.of(), List.of(table.beside(delete)), true, 0, 0)));
  }

  @Test
  void rowsThatSomebodyAppendedAreFoldedIntoOne() {
    List<Row> held = List.of(held("foreign", null), held("five", 5L), held("copied", 4L));
    var stale = merge(change(3, "upsert", "stale"), held, List.of());
    var newer = merge(change(6, "upsert", "new"), held, List.of());

    assertThat(stale, equalTo(new MergedKey(rows(0, 2), List.of(), List.of(), false, 1, 0)));
    assertThat(
        newer,
        equalTo(new MergedKey(rows(0, 1, 2), List.of(held("new", 6L)), List.of(), false, 0, 0)));
  }

  @Test
  void keyAndGuardDecideUnlessSequencesAreEqual() {
    List<Row> guard = List.of(held(null, 5L));
    assertThat(table.guardSuffices(), is(true));
    assertThat(table.guardColumns(), equalTo(List.of("id", "_idem_sequence")));
    assertThat(
        merge(change(4, "upsert", "stale"), guard, List.of()),
        equalTo(new MergedKey(rows(), List.of(), List.of(), false, 1, 0)));
    assertThat(
        merge(change(6, "upsert", "new"), guard, List.of()),
        equalTo(new MergedKey(rows(0), List.of(held("new", 6L)), List.of(), false, 0, 0)));
    assertThat(
        table.sequenceHashOfRow(held("any", 5L)),
        equalTo(table.sequenceHashOfChange(change(5, "upsert", "other"))));
  }

  @Test
  void tombstoneKeepsOlderChangesOut() {
    List<Row> tombstone = List.of(table.beside(change(5, "delete", null)));

    var late = merge(change(4, "upsert", "late"), List.of(), tombstone);
    var tied = merge(change(5, "upsert", "tied"), List.of(), tombstone);
    var newer = merge(change(6, "upsert", "new"), List.of(), tombstone);

    for (MergedKey nothing : List.of(late, tied)) {
      assertThat(nothing, equalTo(new MergedKey(rows(), List.of(), List.of(), false, 1, 0)));
    }
    assertThat(newer.rows(), equalTo(List.of(held("new", 6L))));
  }

  @Test
  void deleteOfAnUnknownKeyIsRememberedOnce() {
    Row delete = change(5, "delete", null);
    var first = merge(delete, List.of(), List.of());
    var again = merge(delete, List.of(), first.changes());

    assertThat(first.changes(), equalTo(List.of(table.beside(delete))));
    assertThat(again, equalTo(new MergedKey(rows(), List.of(), List.of(), false, 1, 0)));
  }
}
