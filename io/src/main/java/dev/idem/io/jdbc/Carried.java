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

import static java.util.Comparator.naturalOrder;
import static java.util.Comparator.nullsFirst;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/**
 * How rows travel: as they are, or as one field of a row that has more to say of where they are
 * from. What becomes a dead letter is the row that travels.
 *
 * @param schema the schema of what travels
 * @param field the field that holds the row, -1 if it is the row; else the fields topic, partition
 *     and offset say where it is from
 */
record Carried(Schema schema, int field) implements Serializable {

  private static final Comparator<Row> BY_POSITION =
      Comparator.comparing((Row row) -> row.getString("topic"), nullsFirst(naturalOrder()))
          .thenComparing(row -> row.getInt32("partition"), nullsFirst(naturalOrder()))
          .thenComparing(row -> row.getInt64("offset"), nullsFirst(naturalOrder()));

  static Carried asIs(Schema schema) {
    return new Carried(schema, -1);
  }

  /** Returns the schema of the rows that are written. */
  Schema rows() {
    return field < 0 ? schema : schema.getField(field).getType().getRowSchema();
  }

  /**
   * Returns rows in the order of the source, if where they are from is known, so that the last of a
   * key counts.
   */
  Iterable<Row> inOrder(Iterable<Row> carriers) {
    if (field < 0) {
      return carriers;
    }
    List<Row> sorted = new ArrayList<>();
    carriers.forEach(sorted::add);
    sorted.sort(BY_POSITION);
    return sorted;
  }

  /** Returns the row that is written. */
  Row row(Row carrier) {
    return field < 0 ? carrier : carrier.getRow(field);
  }
}
