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
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.Schema.TypeName;
import org.apache.beam.sdk.values.Row;
import org.apache.parquet.io.api.Binary;

/**
 * Turns rows into what they are when they are read back from a table: values of the types that
 * {@link BeamTypes} has for its columns, rounded as its files round them.
 */
public final class StoredRows {

  private static final Set<TypeName> AS_THEY_ARE =
      Set.of(
          TypeName.STRING,
          TypeName.BYTE,
          TypeName.INT16,
          TypeName.INT32,
          TypeName.INT64,
          TypeName.FLOAT,
          TypeName.DOUBLE,
          TypeName.BOOLEAN,
          TypeName.BYTES);

  private final Schema schema;
  private final int[] fields;
  private final List<UnaryOperator<Object>> values;

  private StoredRows(Schema schema, int[] fields, List<UnaryOperator<Object>> values) {
    this.schema = schema;
    this.fields = fields;
    this.values = values;
  }

  /**
   * Returns the conversion of rows of a schema.
   *
   * @param columns the table's columns, all of which the schema has
   * @param nanos whether timestamps of nanoseconds are taken, truncated to microseconds
   * @throws SchemaMismatchException if a row of the schema does not fit, naming the column
   */
  public static StoredRows of(
      Schema given, List<DeltaColumn> columns, String table, boolean nanos) {
    Schema schema = BeamTypes.schema(columns);
    int[] fields = new int[columns.size()];
    List<UnaryOperator<Object>> values = new ArrayList<>();
    for (int c = 0; c < fields.length; c++) {
      DeltaColumn column = columns.get(c);
      fields[c] = given.indexOf(column.name());
      FieldType type = given.getField(fields[c]).getType();
      FileValue encoder = FileValue.of(column, type, table, nanos);
      UnaryOperator<Object> decoder = decoder(column.type(), schema.getField(c).getType());
      values.add(
          AS_THEY_ARE.contains(type.getTypeName())
              ? UnaryOperator.identity()
              : value -> decoder.apply(encoder.encode(value)));
    }
    return new StoredRows(schema, fields, values);
  }

  /**
   * Returns a row as it is read back.
   *
   * @throws RowRefusedException if a value breaks a rule of its column
   */
  public Row row(Row given) {
    Object[] stored = new Object[fields.length];
    for (int c = 0; c < stored.length; c++) {
      Object value = given.getValue(fields[c]);
      stored[c] = value == null ? null : values.get(c).apply(value);
    }
    return Row.withSchema(schema).attachValues(Arrays.asList(stored));
  }

  private static UnaryOperator<Object> decoder(DeltaType type, FieldType beam) {
    if (type instanceof DeltaType.Struct struct) {
      return struct(struct.fields(), beam.getRowSchema());
    }
    if (type instanceof DeltaType.Array array) {
      UnaryOperator<Object> element =
          nullable(decoder(array.element(), beam.getCollectionElementType()));
      return value -> {
        List<Object> elements = new ArrayList<>();
        for (Object each : (Object[]) value) {
          elements.add(element.apply(each));
        }
        return elements;
      };
    }
    if (type instanceof DeltaType.Map map) {
      UnaryOperator<Object> key = decoder(map.key(), beam.getMapKeyType());
      UnaryOperator<Object> mapped = nullable(decoder(map.value(), beam.getMapValueType()));
      return value -> {
        Object[] entries = (Object[]) value;
        Map<Object, Object> decoded = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
          decoded.put(key.apply(entries[i]), mapped.apply(entries[i + 1]));
        }
        return decoded;
      };
    }
    if (type instanceof DeltaType.Decimal decimal) {
      return value -> new BigDecimal(unscaled(value), decimal.scale());
    }
    return switch ((DeltaType.Primitive) type) {
      case STRING -> value -> ((Binary) value).toStringUsingUTF8();
      case BINARY -> value -> ((Binary) value).getBytes();
      case BYTE -> value -> ((Integer) value).byteValue();
      case SHORT -> value -> ((Integer) value).shortValue();
      case TIMESTAMP -> value -> PartitionValues.instant((Long) value);
      case TIMESTAMP_NTZ ->
          value -> LocalDateTime.ofInstant(PartitionValues.instant((Long) value), ZoneOffset.UTC);
      case DATE -> value -> LocalDate.ofEpochDay((Integer) value);
      default -> UnaryOperator.identity();
    };
  }

  private static UnaryOperator<Object> struct(List<DeltaColumn> columns, Schema schema) {
    List<UnaryOperator<Object>> fields = new ArrayList<>();
    for (int c = 0; c < columns.size(); c++) {
      fields.add(nullable(decoder(columns.get(c).type(), schema.getField(c).getType())));
    }
    return value -> {
      Object[] encoded = (Object[]) value;
      Object[] decoded = new Object[encoded.length];
      for (int c = 0; c < encoded.length; c++) {
        decoded[c] = fields.get(c).apply(encoded[c]);
      }
      return Row.withSchema(schema).attachValues(Arrays.asList(decoded));
    };
  }

  private static UnaryOperator<Object> nullable(UnaryOperator<Object> decoder) {
    return value -> value == null ? null : decoder.apply(value);
  }

  private static BigInteger unscaled(Object value) {
    return value instanceof Binary binary
        ? new BigInteger(binary.getBytes())
        : BigInteger.valueOf(((Number) value).longValue());
  }
}
