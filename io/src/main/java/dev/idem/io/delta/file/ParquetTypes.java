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

import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import java.math.BigInteger;
import java.util.List;
import org.apache.parquet.schema.ConversionPatterns;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Type.Repetition;
import org.apache.parquet.schema.Types;

/** The physical types that the Delta protocol asks for in Parquet files. */
final class ParquetTypes {

  /** Up to this many digits a decimal is stored in 32 bits. */
  static final int INT_DIGITS = 9;

  /** Up to this many digits a decimal is stored in 64 bits. */
  static final int LONG_DIGITS = 18;

  private ParquetTypes() {}

  /** Returns how many bytes a decimal of {@code precision} digits needs. */
  static int fixedLength(int precision) {
    return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).toByteArray().length;
  }

  static MessageType message(List<DeltaColumn> columns) {
    return new MessageType("row", columns.stream().map(ParquetTypes::field).toList());
  }

  private static Type field(DeltaColumn column) {
    Type type = type(column.physicalName(), column.type(), column.nullable());
    return column.fieldId() == 0 ? type : type.withId(column.fieldId());
  }

  private static Type type(String name, DeltaType type, boolean nullable) {
    Repetition repetition = nullable ? Repetition.OPTIONAL : Repetition.REQUIRED;
    if (type instanceof DeltaType.Struct struct) {
      Types.GroupBuilder<org.apache.parquet.schema.GroupType> group = Types.buildGroup(repetition);
      struct.fields().forEach(field -> group.addField(field(field)));
      return group.named(name);
    }
    if (type instanceof DeltaType.Array array) {
      return ConversionPatterns.listOfElements(
          repetition, name, type("element", array.element(), array.containsNull()));
    }
    if (type instanceof DeltaType.Map map) {
      return Types.map(repetition)
          .key(type("key", map.key(), false))
          .value(type("value", map.value(), map.valueContainsNull()))
          .named(name);
    }
    if (type instanceof DeltaType.Decimal decimal) {
      return decimal(decimal, repetition, name);
    }
    return primitive((DeltaType.Primitive) type, repetition, name);
  }

  private static Type primitive(DeltaType.Primitive type, Repetition repetition, String name) {
    return switch (type) {
      case STRING ->
          Types.primitive(PrimitiveTypeName.BINARY, repetition)
              .as(LogicalTypeAnnotation.stringType())
              .named(name);
      case BYTE ->
          Types.primitive(PrimitiveTypeName.INT32, repetition)
              .as(LogicalTypeAnnotation.intType(8, true))
              .named(name);
      case SHORT ->
          Types.primitive(PrimitiveTypeName.INT32, repetition)
              .as(LogicalTypeAnnotation.intType(16, true))
              .named(name);
      case INTEGER -> Types.primitive(PrimitiveTypeName.INT32, repetition).named(name);
      case LONG -> Types.primitive(PrimitiveTypeName.INT64, repetition).named(name);
      case FLOAT -> Types.primitive(PrimitiveTypeName.FLOAT, repetition).named(name);
      case DOUBLE -> Types.primitive(PrimitiveTypeName.DOUBLE, repetition).named(name);
      case BOOLEAN -> Types.primitive(PrimitiveTypeName.BOOLEAN, repetition).named(name);
      case BINARY -> Types.primitive(PrimitiveTypeName.BINARY, repetition).named(name);
      case DATE ->
          Types.primitive(PrimitiveTypeName.INT32, repetition)
              .as(LogicalTypeAnnotation.dateType())
              .named(name);
      case TIMESTAMP -> timestamp(repetition, true, name);
      case TIMESTAMP_NTZ -> timestamp(repetition, false, name);
    };
  }

  private static Type timestamp(Repetition repetition, boolean ofAnInstant, String name) {
    return Types.primitive(PrimitiveTypeName.INT64, repetition)
        .as(LogicalTypeAnnotation.timestampType(ofAnInstant, TimeUnit.MICROS))
        .named(name);
  }

  private static Type decimal(DeltaType.Decimal type, Repetition repetition, String name) {
    LogicalTypeAnnotation decimal =
        LogicalTypeAnnotation.decimalType(type.scale(), type.precision());
    if (type.precision() <= INT_DIGITS) {
      return Types.primitive(PrimitiveTypeName.INT32, repetition).as(decimal).named(name);
    }
    if (type.precision() <= LONG_DIGITS) {
      return Types.primitive(PrimitiveTypeName.INT64, repetition).as(decimal).named(name);
    }
    return Types.primitive(PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, repetition)
        .length(fixedLength(type.precision()))
        .as(decimal)
        .named(name);
  }
}
