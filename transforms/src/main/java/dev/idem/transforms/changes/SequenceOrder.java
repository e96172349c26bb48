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

import java.io.Serial;
import java.io.Serializable;
import java.math.BigDecimal;
import java.util.Arrays;
import java.util.Comparator;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.UuidLogicalType;
import org.apache.beam.sdk.values.Row;
import org.joda.time.ReadableInstant;

/**
 * Orders sequences, which are rows of the sequence columns, by the values of their first column
 * that differs.
 *
 * <p>Values are compared as what they are: numbers as numbers, without subtraction, so that those
 * far apart do not overflow; texts by code point and bytes as unsigned, as databases do under a
 * binary collation; a UUID by its bits, so that those of version 7 follow their time; every other
 * logical type as its base type. Nulls, which no change has, stand for before everything.
 */
final class SequenceOrder implements Comparator<Row>, Serializable {
  @Serial private static final long serialVersionUID = 1;

  private final Schema schema;
  private final transient Comparator<Object>[] columns;

  /** The schema's columns must hold types that have an order; none of them is nullable. */
  @SuppressWarnings({"unchecked", "rawtypes"}) // An array of a generic type.
  SequenceOrder(Schema schema) {
    this.schema = schema;
    this.columns =
        schema.getFields().stream()
            .map(field -> Comparator.nullsFirst(order(field.getName(), field.getType())))
            .toArray(Comparator[]::new);
  }

  @Override
  public int compare(Row left, Row right) {
    for (int i = 0; i < columns.length; i++) {
      int byColumn = columns[i].compare(left.getValue(i), right.getValue(i));
      if (byColumn != 0) {
        return byColumn;
      }
    }
    return 0;
  }

  private static Comparator<Object> order(String column, FieldType type) {
    return switch (type.getTypeName()) {
      case BYTE, INT16, INT32, INT64 ->
          (left, right) -> Long.compare(((Number) left).longValue(), ((Number) right).longValue());
      case DECIMAL -> (left, right) -> ((BigDecimal) left).compareTo((BigDecimal) right);
      case BOOLEAN -> (left, right) -> Boolean.compare((Boolean) left, (Boolean) right);
      case STRING -> (left, right) -> compareCodePoints(left.toString(), right.toString());
      case BYTES -> (left, right) -> Arrays.compareUnsigned((byte[]) left, (byte[]) right);
      case DATETIME ->
          (left, right) ->
              Long.compare(
                  ((ReadableInstant) left).getMillis(), ((ReadableInstant) right).getMillis());
      case LOGICAL_TYPE -> logical(column, type.getLogicalType());
      case FLOAT, DOUBLE -> throw ChangesErrors.floatingPointSequence(column);
      case ARRAY, ITERABLE, MAP, ROW -> throw ChangesErrors.notOrdered(column, type);
    };
  }

  private static <InputT, BaseT> Comparator<Object> logical(
      String column, Schema.LogicalType<InputT, BaseT> type) {
    if (type.getIdentifier().equals(UuidLogicalType.IDENTIFIER)) {
      return (left, right) -> compareUuids((UUID) left, (UUID) right);
    }
    Comparator<Object> base =
        type.getBaseType().getTypeName().isCompositeType()
            ? row(type.getBaseType().getRowSchema())
            : order(column, type.getBaseType());
    return (left, right) -> base.compare(toBase(type, left), toBase(type, right));
  }

  private static Comparator<Object> row(Schema schema) {
    SequenceOrder fields = new SequenceOrder(schema);
    return (left, right) -> fields.compare((Row) left, (Row) right);
  }

  @SuppressWarnings("unchecked") // Rows hold what their schema says.
  private static <InputT, BaseT> Object toBase(
      Schema.LogicalType<InputT, BaseT> type, Object value) {
    return type.toBaseType((InputT) value);
  }

  private static int compareUuids(UUID left, UUID right) {
    int byHigh =
        Long.compareUnsigned(left.getMostSignificantBits(), right.getMostSignificantBits());
    return byHigh != 0
        ? byHigh
        : Long.compareUnsigned(left.getLeastSignificantBits(), right.getLeastSignificantBits());
  }

  /** Unlike {@link String#compareTo}, puts what lies beyond the first plane behind all of it. */
  private static int compareCodePoints(String left, String right) {
    int common = Math.min(left.length(), right.length());
    for (int i = 0; i < common; i++) {
      char l = left.charAt(i);
      char r = right.charAt(i);
      if (l != r) {
        boolean bothOrNone = Character.isSurrogate(l) == Character.isSurrogate(r);
        return bothOrNone ? Character.compare(l, r) : Character.isSurrogate(l) ? 1 : -1;
      }
    }
    return Integer.compare(left.length(), right.length());
  }

  @Serial
  private Object readResolve() {
    return new SequenceOrder(schema);
  }
}
