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
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.NanosInstant;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What rows are as requests.
 *
 * @param keyColumns the columns of the key
 * @param sequenceColumns the columns that order the rows of a key, none for the place in the source
 * @param path what comes after the URL, with the names of columns in braces; null for nothing
 * @param ignored the fields that are in no body
 * @param body whether there are bodies
 */
record RequestRules(
    List<String> keyColumns,
    List<String> sequenceColumns,
    @Nullable String path,
    Set<String> ignored,
    boolean body)
    implements Serializable {

  static final Pattern COLUMN = Pattern.compile("\\{([^{}]+)}");

  RequestRules sequencedBy(List<String> columns) {
    return new RequestRules(keyColumns, columns, path, ignored, body);
  }

  RequestRules withPath(String template) {
    return new RequestRules(keyColumns, sequenceColumns, template, ignored, body);
  }

  RequestRules ignoring(Set<String> fields) {
    return new RequestRules(keyColumns, sequenceColumns, path, fields, body);
  }

  RequestRules withoutBody() {
    return new RequestRules(keyColumns, sequenceColumns, path, ignored, false);
  }

  /** Returns the columns whose values are in the path. */
  List<String> pathColumns() {
    List<String> columns = new ArrayList<>();
    if (path != null) {
      Matcher column = COLUMN.matcher(path);
      while (column.find()) {
        columns.add(column.group(1));
      }
    }
    return columns;
  }

  /** Refuses rows that lack a field, or whose sequence has no order. */
  void requireFit(String place, Schema rows) {
    require(place, "Key", keyColumns, rows);
    require(place, "Sequence", sequenceColumns, rows);
    require(place, "Path", pathColumns(), rows);
    require(place, "Field to leave out", ignored, rows);
    for (String column : sequenceColumns) {
      if (!hasOrder(rows.getField(column).getType())) {
        throw TargetErrors.noOrder(place, column, rows.getField(column).getType());
      }
    }
  }

  private static void require(String place, String thing, Iterable<String> columns, Schema rows) {
    for (String column : columns) {
      if (!rows.hasField(column)) {
        throw TargetErrors.noField(place, thing, column, rows.getFieldNames());
      }
    }
  }

  private static boolean hasOrder(FieldType type) {
    return switch (type.getTypeName()) {
      case BYTE, INT16, INT32, INT64, STRING, DATETIME -> true;
      case LOGICAL_TYPE ->
          Set.of(MicrosInstant.IDENTIFIER, NanosInstant.IDENTIFIER)
              .contains(type.getLogicalType().getIdentifier());
      default -> false;
    };
  }

  /** Returns what must not change between batches, as text. */
  String text() {
    return "http keys " + keyColumns + " sequence " + sequenceColumns;
  }
}
