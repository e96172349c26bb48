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
import static org.hamcrest.Matchers.nullValue;

import java.util.List;
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

  private final ChangeLayout layout =
      ApplyChanges.keys("id")
          .sequenceBy("seq")
          .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
          .columns("id", "value")
          .layout(CHANGE);

  private Change change(long seq, String op, String value) {
    return layout.change(Row.withSchema(CHANGE).addValues(1L, seq, op, value).build());
  }

  private Row key() {
    return layout.key(Row.withSchema(CHANGE).addValues(1L, 0L, "", null).build());
  }

  private Row held(String value, Long sequence) {
    return Row.withSchema(layout.keyMerge().rowSchema()).addValues(1L, value, sequence).build();
  }

  private KeyMerge.Result merge(List<Change> changes, List<Row> rows, List<Row> tombstones) {
    return layout.keyMerge().merge(key(), changes, rows, tombstones, null);
  }

  @Test
  void rowWithoutSequenceIsOlderThanEveryChange() {
    var upserted =
        merge(
            List.of(change(Long.MIN_VALUE, "upsert", "new")),
            List.of(held("old", null)),
            List.of());
    var deleted =
        merge(
            List.of(change(Long.MIN_VALUE, "delete", null)), List.of(held("old", null)), List.of());

    assertThat(upserted.replaces(), is(true));
    assertThat(upserted.row(), equalTo(held("new", Long.MIN_VALUE)));
    assertThat(deleted.replaces(), is(true));
    assertThat(deleted.row(), nullValue());
  }

  @Test
  void rowsThatSomebodyAppendedAreFoldedIntoOne() {
    var folded =
        merge(
            List.of(change(3, "upsert", "stale")),
            List.of(held("five", 5L), held("foreign", null)),
            List.of());

    assertThat(folded.replaces(), is(true));
    assertThat(folded.row(), equalTo(held("five", 5L)));
    assertThat(folded.stale(), is(1L));
  }

  @Test
  void tombstoneKeepsOlderChangesOut() {
    Row tombstone = layout.delete(key(), change(5, "delete", null).sequence());

    var late = merge(List.of(change(4, "upsert", "late")), List.of(), List.of(tombstone));
    var tied = merge(List.of(change(5, "upsert", "tied")), List.of(), List.of(tombstone));
    var newer = merge(List.of(change(6, "upsert", "new")), List.of(), List.of(tombstone));

    for (KeyMerge.Result nothing : List.of(late, tied)) {
      assertThat(nothing, equalTo(new KeyMerge.Result(false, null, null, 1, 0)));
    }
    assertThat(newer.row(), equalTo(held("new", 6L)));
  }

  @Test
  void deleteOfAnUnknownKeyIsRememberedOnce() {
    var first = merge(List.of(change(5, "delete", null)), List.of(), List.of());
    var again = merge(List.of(change(5, "delete", null)), List.of(), List.of(first.tombstone()));

    assertThat(first.tombstone(), equalTo(layout.delete(key(), change(5, "", null).sequence())));
    assertThat(again, equalTo(new KeyMerge.Result(false, null, null, 1, 0)));
  }
}
