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
package dev.idem.io.delta.schema;

import java.util.List;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.EnumerationType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedBytes;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.FixedString;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.NanosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.schemas.logicaltypes.Timestamp;
import org.apache.beam.sdk.schemas.logicaltypes.UuidLogicalType;
import org.apache.beam.sdk.schemas.logicaltypes.VariableBytes;
import org.apache.beam.sdk.schemas.logicaltypes.VariableString;
import org.apache.beam.sdk.values.Row;

/** The Beam type for a Delta type, and the Delta type that takes the values of a Beam type. */
public final class BeamTypes {

  private static final int MICROSECONDS = 6;
  private static final Set<String> TEXT =
      Set.of(
          FixedString.IDENTIFIER,
          VariableString.IDENTIFIER,
          UuidLogicalType.IDENTIFIER,
          EnumerationType.IDENTIFIER);
  private static final Set<String> BYTES = Set.of(FixedBytes.IDENTIFIER, VariableBytes.IDENTIFIER);

  private BeamTypes() {}

  /** Returns the Beam schema of columns, in their order. */
  public static Schema schema(List<DeltaColumn> columns) {
    Schema.Builder schema = Schema.builder();
    for (DeltaColumn column : columns) {
      schema.addField(
          Schema.Field.of(column.name(), beamType(column.type()).withNullable(column.nullable())));
    }
    return schema.build();
  }

  private static FieldType beamType(DeltaType type) {
    if (type instanceof DeltaType.Primitive primitive) {
      return switch (primitive) {
        case STRING -> FieldType.STRING;
        case BYTE -> FieldType.BYTE;
        case SHORT -> FieldType.INT16;
        case INTEGER -> FieldType.INT32;
        case LONG -> FieldType.INT64;
        case FLOAT -> FieldType.FLOAT;
        case DOUBLE -> FieldType.DOUBLE;
        case BOOLEAN -> FieldType.BOOLEAN;
        case BINARY -> FieldType.BYTES;
        case DATE -> FieldType.logicalType(SqlTypes.DATE);
        case TIMESTAMP -> FieldType.logicalType(new MicrosInstant());
        case TIMESTAMP_NTZ -> FieldType.logicalType(SqlTypes.DATETIME);
      };
    }
    if (type instanceof DeltaType.Decimal decimal) {
      return FieldType.logicalType(FixedPrecisionNumeric.of(decimal.precision(), decimal.scale()));
    }
    if (type instanceof DeltaType.Array array) {
      return FieldType.array(beamType(array.element()).withNullable(array.containsNull()));
    }
    if (type instanceof DeltaType.Map map) {
      return FieldType.map(
          beamType(map.key()), beamType(map.value()).withNullable(map.valueContainsNull()));
    }
    return FieldType.row(schema(((DeltaType.Struct) type).fields()));
  }

  /**
   * Returns the columns that take rows of a schema; a plain DECIMAL has precision and scale 0.
   *
   * @param path what the names of messages begin with
   * @param nanos whether timestamps of nanoseconds are taken, truncated to microseconds
   * @throws IllegalArgumentException for a type without counterpart, and for names alike but for
   *     case
   */
  public static List<DeltaColumn> columns(Schema schema, String path, boolean nanos) {
    List<DeltaColumn> columns =
        schema.getFields().stream()
            .map(
                field ->
                    new DeltaColumn(
                        field.getName(),
                        deltaType(path + field.getName(), field.getType(), nanos),
                        field.getType().getNullable()))
            .toList();
    SchemaJson.requireDistinct(columns);
    return columns;
  }

  private static DeltaType deltaType(String path, FieldType type, boolean nanos) {
    return switch (type.getTypeName()) {
      case STRING -> DeltaType.Primitive.STRING;
      case BYTE -> DeltaType.Primitive.BYTE;
      case INT16 -> DeltaType.Primitive.SHORT;
      case INT32 -> DeltaType.Primitive.INTEGER;
      case INT64 -> DeltaType.Primitive.LONG;
      case FLOAT -> DeltaType.Primitive.FLOAT;
      case DOUBLE -> DeltaType.Primitive.DOUBLE;
      case BOOLEAN -> DeltaType.Primitive.BOOLEAN;
      case BYTES -> DeltaType.Primitive.BINARY;
      case DATETIME -> DeltaType.Primitive.TIMESTAMP;
      case DECIMAL -> new DeltaType.Decimal(0, 0);
      case ARRAY, ITERABLE -> {
        FieldType element = type.getCollectionElementType();
        yield new DeltaType.Array(
            deltaType(path + ".element", element, nanos), element.getNullable());
      }
      case MAP -> {
        FieldType value = type.getMapValueType();
        yield new DeltaType.Map(
            deltaType(path + ".key", type.getMapKeyType(), nanos),
            deltaType(path + ".value", value, nanos),
            value.getNullable());
      }
      case ROW -> new DeltaType.Struct(columns(type.getRowSchema(), path + ".", nanos));
      case LOGICAL_TYPE -> logicalType(path, type.getLogicalType(), nanos);
    };
  }

  private static DeltaType logicalType(String path, Schema.LogicalType<?, ?> type, boolean nanos) {
    String identifier = type.getIdentifier();
    if (TEXT.contains(identifier)) {
      return DeltaType.Primitive.STRING;
    }
    if (BYTES.contains(identifier)) {
      return DeltaType.Primitive.BINARY;
    }
    if (identifier.equals(SqlTypes.DATE.getIdentifier())) {
      return DeltaType.Primitive.DATE;
    }
    if (identifier.equals(SqlTypes.DATETIME.getIdentifier())) {
      return DeltaType.Primitive.TIMESTAMP_NTZ;
    }
    if (identifier.equals(MicrosInstant.IDENTIFIER)) {
      return DeltaType.Primitive.TIMESTAMP;
    }
    if (identifier.equals(Timestamp.IDENTIFIER) || identifier.equals(NanosInstant.IDENTIFIER)) {
      boolean finer = !(type.getArgument() instanceof Integer digits) || digits > MICROSECONDS;
      if (finer && !nanos) {
        throw new IllegalArgumentException(
            "Column \""
                + path
                + "\" must be a timestamp of at most microseconds, but was: nanoseconds. Convert it,"
                + " or choose truncateNanoseconds().");
      }
      return DeltaType.Primitive.TIMESTAMP;
    }
    if (identifier.equals(FixedPrecisionNumeric.IDENTIFIER)) {
      Row argument = (Row) type.getArgument();
      Integer precision = argument.getInt32("precision");
      Integer scale = argument.getInt32("scale");
      return precision == null || scale == null
          ? new DeltaType.Decimal(0, 0)
          : SchemaJson.decimal(path, precision, scale);
    }
    throw SchemaJson.unsupported(path, identifier);
  }
}
