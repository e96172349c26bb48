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

import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/** Turns the values of rows as a scan gives them into Beam rows. */
public final class RowReading {

  private final Schema schema;
  private final List<UnaryOperator<Object>> decoders;

  private RowReading(Schema schema, List<UnaryOperator<Object>> decoders) {
    this.schema = schema;
    this.decoders = decoders;
  }

  /**
   * Returns the reading of columns.
   *
   * @param schema the Beam schema of the columns, as {@link BeamTypes} gives it
   */
  public static RowReading of(Schema schema, List<DeltaColumn> columns) {
    List<UnaryOperator<Object>> decoders = new ArrayList<>();
    for (int c = 0; c < columns.size(); c++) {
      decoders.add(nullable(decoder(columns.get(c).type(), schema.getField(c).getType())));
    }
    return new RowReading(schema, decoders);
  }

  /** Returns the row with the values of a scan. */
  public Row row(Object[] values) {
    Object[] decoded = new Object[values.length];
    for (int c = 0; c < values.length; c++) {
      decoded[c] = decoders.get(c).apply(values[c]);
    }
    return Row.withSchema(schema).attachValues(Arrays.asList(decoded));
  }

  private static UnaryOperator<Object> nullable(UnaryOperator<Object> decoder) {
    return value -> value == null ? null : decoder.apply(value);
  }

  private static UnaryOperator<Object> decoder(DeltaType type, Schema.FieldType beam) {
    if (type instanceof DeltaType.Struct struct) {
      RowReading reading = of(beam.getRowSchema(), struct.fields());
      return value -> reading.row((Object[]) value);
    }
    if (type instanceof DeltaType.Array array) {
      UnaryOperator<Object> element =
          nullable(decoder(array.element(), beam.getCollectionElementType()));
      return value -> {
        List<Object> elements = new ArrayList<>();
        ((List<?>) value).forEach(each -> elements.add(element.apply(each)));
        return elements;
      };
    }
    if (type instanceof DeltaType.Map map) {
      UnaryOperator<Object> key = decoder(map.key(), beam.getMapKeyType());
      UnaryOperator<Object> mapped = nullable(decoder(map.value(), beam.getMapValueType()));
      return value -> {
        Map<Object, Object> entries = new LinkedHashMap<>();
        ((Map<?, ?>) value).forEach((k, v) -> entries.put(key.apply(k), mapped.apply(v)));
        return entries;
      };
    }
    if (type instanceof DeltaType.Decimal decimal) {
      return value -> ((BigDecimal) value).setScale(decimal.scale());
    }
    return switch ((DeltaType.Primitive) type) {
      case TIMESTAMP -> value -> PartitionValues.instant((Long) value);
      case TIMESTAMP_NTZ ->
          value -> LocalDateTime.ofInstant(PartitionValues.instant((Long) value), ZoneOffset.UTC);
      case DATE -> value -> LocalDate.ofEpochDay((Integer) value);
      default -> UnaryOperator.identity();
    };
  }
}
