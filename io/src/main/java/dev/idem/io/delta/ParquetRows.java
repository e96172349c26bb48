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
package dev.idem.io.delta;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.LogicalTypeAnnotation.TimeUnit;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Type;
import org.apache.parquet.schema.Types;

/** Writes bound rows to Parquet, with the physical types that the Delta protocol asks for. */
final class ParquetRows extends WriteSupport<Object[]> {

  /** Up to this many digits a decimal is stored in 32 bits. */
  static final int INT_DIGITS = 9;

  /** Up to this many digits a decimal is stored in 64 bits. */
  static final int LONG_DIGITS = 18;

  /** The setting, alone for all columns, or with {@code #} and a name for one. */
  private static final String DICTIONARY = "parquet.enable.dictionary";

  private final List<DeltaColumn> columns;
  private final int[] positions;
  private RecordConsumer consumer;

  /**
   * @param positions where in the rows the columns' values are
   */
  private ParquetRows(List<DeltaColumn> columns, int[] positions) {
    this.columns = columns;
    this.positions = positions;
  }

  static ParquetWriter<Object[]> open(
      Path file,
      List<DeltaColumn> columns,
      int[] positions,
      Configuration configuration,
      long rowGroupSize)
      throws IOException {
    boolean dictionary = configuration.getBoolean(DICTIONARY, true);
    Builder builder =
        new Builder(file, new ParquetRows(columns, positions))
            .withConf(configuration)
            .withCompressionCodec(codec(configuration))
            .withRowGroupSize(configuration.getLong("parquet.block.size", rowGroupSize))
            .withPageSize(
                configuration.getInt("parquet.page.size", ParquetWriter.DEFAULT_PAGE_SIZE))
            .withDictionaryEncoding(dictionary);
    for (DeltaColumn column : columns) {
      builder.withDictionaryEncoding(
          column.name(), configuration.getBoolean(DICTIONARY + '#' + column.name(), dictionary));
    }
    return builder.build();
  }

  /** Returns the configured codec, snappy unless another is set. */
  static CompressionCodecName codec(Configuration configuration) {
    return CompressionCodecName.fromConf(
        configuration.get("parquet.compression", CompressionCodecName.SNAPPY.name()));
  }

  /** Returns how many bytes a decimal of {@code precision} digits needs. */
  static int fixedLength(int precision) {
    return BigInteger.TEN.pow(precision).subtract(BigInteger.ONE).toByteArray().length;
  }

  static MessageType messageType(List<DeltaColumn> columns) {
    Types.MessageTypeBuilder message = Types.buildMessage();
    for (DeltaColumn column : columns) {
      message.addField(
          parquetType(
              column, column.nullable() ? Type.Repetition.OPTIONAL : Type.Repetition.REQUIRED));
    }
    return message.named("row");
  }

  private static Type parquetType(DeltaColumn column, Type.Repetition repetition) {
    String name = column.name();
    return switch (column.type()) {
      case STRING ->
          Types.primitive(PrimitiveTypeName.BINARY, repetition)
              .as(LogicalTypeAnnotation.stringType())
              .named(name);
      case LONG -> Types.primitive(PrimitiveTypeName.INT64, repetition).named(name);
      case INTEGER -> Types.primitive(PrimitiveTypeName.INT32, repetition).named(name);
      case DOUBLE -> Types.primitive(PrimitiveTypeName.DOUBLE, repetition).named(name);
      case BOOLEAN -> Types.primitive(PrimitiveTypeName.BOOLEAN, repetition).named(name);
      case TIMESTAMP ->
          Types.primitive(PrimitiveTypeName.INT64, repetition)
              .as(LogicalTypeAnnotation.timestampType(true, TimeUnit.MICROS))
              .named(name);
      case DATE ->
          Types.primitive(PrimitiveTypeName.INT32, repetition)
              .as(LogicalTypeAnnotation.dateType())
              .named(name);
      case DECIMAL -> decimalType(column, repetition);
      case BINARY -> Types.primitive(PrimitiveTypeName.BINARY, repetition).named(name);
    };
  }

  private static Type decimalType(DeltaColumn column, Type.Repetition repetition) {
    LogicalTypeAnnotation decimal =
        LogicalTypeAnnotation.decimalType(column.scale(), column.precision());
    if (column.precision() <= INT_DIGITS) {
      return Types.primitive(PrimitiveTypeName.INT32, repetition).as(decimal).named(column.name());
    }
    if (column.precision() <= LONG_DIGITS) {
      return Types.primitive(PrimitiveTypeName.INT64, repetition).as(decimal).named(column.name());
    }
    return Types.primitive(PrimitiveTypeName.FIXED_LEN_BYTE_ARRAY, repetition)
        .length(fixedLength(column.precision()))
        .as(decimal)
        .named(column.name());
  }

  // Deprecated, but abstract: there is no other way to be one.
  @SuppressWarnings("deprecation")
  @Override
  public WriteContext init(Configuration configuration) {
    return new WriteContext(messageType(columns), Map.of());
  }

  @Override
  public void prepareForWrite(RecordConsumer recordConsumer) {
    this.consumer = recordConsumer;
  }

  @Override
  public void write(Object[] row) {
    consumer.startMessage();
    for (int c = 0; c < positions.length; c++) {
      Object value = row[positions[c]];
      if (value != null) {
        DeltaColumn column = columns.get(c);
        consumer.startField(column.name(), c);
        add(value);
        consumer.endField(column.name(), c);
      }
    }
    consumer.endMessage();
  }

  private void add(Object value) {
    if (value instanceof Binary binary) {
      consumer.addBinary(binary);
    } else if (value instanceof Long number) {
      consumer.addLong(number);
    } else if (value instanceof Integer number) {
      consumer.addInteger(number);
    } else if (value instanceof Double number) {
      consumer.addDouble(number);
    } else {
      consumer.addBoolean((Boolean) value);
    }
  }

  private static final class Builder extends ParquetWriter.Builder<Object[], Builder> {

    private final ParquetRows rows;

    Builder(Path file, ParquetRows rows) {
      super(new ForcedOutputFile(file));
      this.rows = rows;
    }

    @Override
    protected Builder self() {
      return this;
    }

    // Deprecated, but abstract: there is no other way to be one.
    @SuppressWarnings("deprecation")
    @Override
    protected WriteSupport<Object[]> getWriteSupport(Configuration configuration) {
      return rows;
    }
  }
}
