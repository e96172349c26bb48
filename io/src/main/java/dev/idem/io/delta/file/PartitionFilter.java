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
package dev.idem.io.delta.file;

import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import java.io.Serializable;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;

/** A predicate in the types of a table's partition columns. */
public final class PartitionFilter implements Serializable {

  private static final long serialVersionUID = 1L;

  private final List<Test> tests;

  private PartitionFilter(List<Test> tests) {
    this.tests = tests;
  }

  /** Whether a column's value will do. */
  private sealed interface Test extends Serializable {
    DeltaColumn column();

    boolean accepts(Object value);
  }

  private record OneOf(DeltaColumn column, Set<Object> values) implements Test {
    @Override
    public boolean accepts(Object value) {
      return values.contains(value);
    }
  }

  private record Between(DeltaColumn column, Object first, Object last) implements Test {
    @Override
    public boolean accepts(Object value) {
      return value != null && compare(first, value) <= 0 && compare(value, last) <= 0;
    }
  }

  /**
   * Returns a filter.
   *
   * @throws IllegalArgumentException for a column that is none of the partition columns, and for a
   *     value that the column cannot have
   */
  public static PartitionFilter of(
      String table,
      List<DeltaColumn> all,
      List<String> partitionColumns,
      PartitionPredicate predicate) {
    List<Test> tests = new ArrayList<>();
    for (PartitionPredicate.Condition condition : predicate.conditions()) {
      String name = condition.column();
      if (!partitionColumns.contains(name)) {
        throw new IllegalArgumentException(
            "Condition must be on one of the partition columns "
                + partitionColumns
                + " of table \""
                + table
                + "\", but was on: \""
                + name
                + "\". Filter the rows by it.");
      }
      DeltaColumn column =
          all.stream().filter(each -> each.name().equals(name)).findFirst().orElseThrow();
      Schema schema = BeamTypes.schema(List.of(column));
      FileValue check = FileValue.of(column, schema.getField(0).getType(), table, false);
      tests.add(test(column, check, condition));
    }
    return new PartitionFilter(tests);
  }

  private static Test test(
      DeltaColumn column, FileValue check, PartitionPredicate.Condition condition) {
    if (condition instanceof PartitionPredicate.OneOf oneOf) {
      Set<Object> values = new HashSet<>();
      oneOf.values().forEach(value -> values.add(value(column, check, value)));
      return new OneOf(column, values);
    }
    PartitionPredicate.Between range = (PartitionPredicate.Between) condition;
    Object first = value(column, check, range.first());
    Object last = value(column, check, range.last());
    if (first == null || last == null || compare(first, last) > 0) {
      throw new IllegalArgumentException(
          "Range of column \""
              + column.name()
              + "\" must begin at or before its end, but was: from "
              + first
              + " to "
              + last
              + ".");
    }
    return new Between(column, first, last);
  }

  /** Returns a value as {@link PartitionValues#parse} would. */
  private static Object value(DeltaColumn column, FileValue check, Object value) {
    if (value == null) {
      return null;
    }
    requireValue(column, check, value);
    return column.type() instanceof DeltaType.Decimal decimal
        ? ((BigDecimal) value).setScale(decimal.scale())
        : value;
  }

  private static void requireValue(DeltaColumn column, FileValue check, Object value) {
    try {
      check.encode(value);
    } catch (RowRefusedException e) {
      throw new IllegalArgumentException(
          "Condition on column \""
              + column.name()
              + "\" needs a value as Beam rows have it: it "
              + e.rule()
              + ", but was of type "
              + value.getClass().getSimpleName()
              + ".",
          e);
    }
  }

  @SuppressWarnings("unchecked") // both are of the column's type, and all those can be compared
  private static int compare(Object left, Object right) {
    return left instanceof String text
        ? Arrays.compareUnsigned(bytes(text), bytes((String) right))
        : ((Comparable<Object>) left).compareTo(right);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns whether the rows of a file with these partition values are wanted. */
  public boolean accepts(Map<String, String> partitionValues) {
    for (Test test : tests) {
      DeltaColumn column = test.column();
      Object value = PartitionValues.parse(column, partitionValues.get(column.physicalName()));
      if (!test.accepts(value)) {
        return false;
      }
    }
    return true;
  }
}
