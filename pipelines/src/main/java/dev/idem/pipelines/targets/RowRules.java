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
package dev.idem.pipelines.targets;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/**
 * What rows are as records of a topic.
 *
 * @param keyColumns the columns of the key
 * @param deletes which rows are deletes, empty if none
 * @param ignored the fields that are in no value
 */
record RowRules(List<String> keyColumns, Optional<Deletes> deletes, Set<String> ignored) {

  /**
   * Which rows are deletes.
   *
   * @param field the field that says so
   * @param values its values, as text
   */
  record Deletes(String field, Set<String> values) implements Serializable {

    boolean isDelete(Row row) {
      Object value = row.getValue(field);
      return value != null && values.contains(String.valueOf(value));
    }
  }

  /** Refuses rows that lack a field. */
  void requireFit(String topic, Schema rows) {
    String place = "topic \"" + topic + "\"";
    List<String> fields = rows.getFieldNames();
    for (String column : keyColumns) {
      if (!fields.contains(column)) {
        throw TargetErrors.noField(place, "Key", column, fields);
      }
    }
    deletes.ifPresent(
        rule -> {
          if (!fields.contains(rule.field())) {
            throw TargetErrors.noField(place, "Delete field", rule.field(), fields);
          }
        });
    for (String field : ignored) {
      if (!fields.contains(field)) {
        throw TargetErrors.noField(place, "Field to leave out", field, fields);
      }
    }
  }

  /** Returns the columns of the values. */
  List<String> valueColumns(Schema rows) {
    List<String> columns = new ArrayList<>(rows.getFieldNames());
    columns.removeAll(ignored);
    return columns;
  }

  /** Returns what must not change between batches, as text. */
  String text() {
    return "topic keys "
        + keyColumns
        + deletes.map(rule -> " deletes " + rule.field() + " in " + rule.values()).orElse("");
  }
}
