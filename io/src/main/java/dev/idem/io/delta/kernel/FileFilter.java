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
package dev.idem.io.delta.kernel;

import io.delta.kernel.expressions.And;
import io.delta.kernel.expressions.Column;
import io.delta.kernel.expressions.Literal;
import io.delta.kernel.expressions.Or;
import io.delta.kernel.expressions.Predicate;
import io.delta.kernel.types.ByteType;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.DateType;
import io.delta.kernel.types.DecimalType;
import io.delta.kernel.types.IntegerType;
import io.delta.kernel.types.LongType;
import io.delta.kernel.types.ShortType;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.delta.kernel.types.TimestampNTZType;
import io.delta.kernel.types.TimestampType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BinaryOperator;

/** What Kernel is asked so that it leaves out files by their statistics and partition values. */
final class FileFilter {

  /* Days that the Gregorian calendar left out, and the last one that Kernel takes for one of them. */
  private static final int LEFT_OUT = (int) LocalDate.of(1582, 10, 5).toEpochDay();
  private static final int LEFT_OUT_ENDS_AS = (int) LocalDate.of(1582, 10, 24).toEpochDay();

  private static final Set<Class<? extends DataType>> BOUNDED =
      Set.of(
          LongType.class,
          IntegerType.class,
          ShortType.class,
          ByteType.class,
          StringType.class,
          DecimalType.class,
          DateType.class,
          TimestampType.class,
          TimestampNTZType.class);

  private FileFilter() {}

  /**
   * Returns a predicate that every wanted row fulfils, or nothing if Kernel has bounds of none of
   * the columns.
   *
   * @throws IllegalArgumentException for a column that the schema does not have, and for values
   *     that are not of its type
   */
  static Optional<Predicate> of(StructType schema, KeyRanges wanted) {
    List<Predicate> columns = new ArrayList<>();
    wanted
        .columns()
        .forEach(
            (name, ranges) -> {
              StructField field = KernelScan.field(schema, name);
              if (isBounded(field) && !ranges.isEmpty()) {
                columns.add(
                    joined(Or::new, ranges.stream().map(range -> within(field, range)).toList()));
              }
            });
    return columns.isEmpty() ? Optional.empty() : Optional.of(joined(And::new, columns));
  }

  private static boolean isBounded(StructField field) {
    DataType type = field.getDataType();
    return BOUNDED.contains(type.getClass())
        // Of text with a collation Kernel compares the bytes.
        && (!(type instanceof StringType) || type.equals(StringType.STRING))
        // Kernel cannot read dates as bounds of what they were widened to.
        && field.getTypeChanges().stream()
            .noneMatch(change -> change.getFrom() instanceof DateType);
  }

  /** Returns a balanced tree, since Kernel goes through it by recursion. */
  private static Predicate joined(BinaryOperator<Predicate> operator, List<Predicate> predicates) {
    int size = predicates.size();
    return size == 1
        ? predicates.get(0)
        : operator.apply(
            joined(operator, predicates.subList(0, size / 2)),
            joined(operator, predicates.subList(size / 2, size)));
  }

  private static Predicate within(StructField field, KeyRanges.Range range) {
    Column column = new Column(field.getName());
    return new And(
        new Predicate(">=", column, literal(field, range.low())),
        new Predicate("<=", column, literal(field, highest(field, range.high()))));
  }

  private static Object highest(StructField field, Object high) {
    return field.getDataType() instanceof DateType
            && high instanceof Integer day
            && day >= LEFT_OUT
            && day < LEFT_OUT_ENDS_AS
        ? (Integer) LEFT_OUT_ENDS_AS
        : high;
  }

  private static Literal literal(StructField field, Object value) {
    DataType type = field.getDataType();
    try {
      if (type instanceof LongType) {
        return Literal.ofLong((Long) value);
      } else if (type instanceof IntegerType) {
        return Literal.ofInt((Integer) value);
      } else if (type instanceof ShortType) {
        return Literal.ofShort((Short) value);
      } else if (type instanceof ByteType) {
        return Literal.ofByte((Byte) value);
      } else if (type instanceof StringType) {
        return Literal.ofString((String) value);
      } else if (type instanceof DecimalType decimal) {
        return Literal.ofDecimal((BigDecimal) value, decimal.getPrecision(), decimal.getScale());
      } else if (type instanceof DateType) {
        return Literal.ofDate((Integer) value);
      } else if (type instanceof TimestampType) {
        return Literal.ofTimestamp((Long) value);
      } else {
        return Literal.ofTimestampNtz((Long) value);
      }
    } catch (ClassCastException | ArithmeticException | IllegalArgumentException e) {
      // Without the cause, which can show the value.
      throw new IllegalArgumentException(
          ("Range of column \"%s\" must be of values as rows of the table have them, of type %s,"
                  + " but was of: %s.")
              .formatted(field.getName(), type, value.getClass().getName()));
    }
  }
}
