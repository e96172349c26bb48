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
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;
import org.apache.parquet.hadoop.api.WriteSupport;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.RecordConsumer;

/** Writes bound rows to Parquet, with the physical types that the Delta protocol asks for. */
final class ParquetRows extends WriteSupport<Object[]> {

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
      Storage storage,
      String file,
      List<DeltaColumn> columns,
      int[] positions,
      Configuration configuration,
      long rowGroupSize)
      throws IOException {
    boolean dictionary = configuration.getBoolean(DICTIONARY, true);
    Builder builder =
        new Builder(new ForcedOutputFile(storage, file), new ParquetRows(columns, positions))
            .withConf(configuration)
            .withCompressionCodec(codec(configuration))
            .withRowGroupSize(configuration.getLong("parquet.block.size", rowGroupSize))
            .withPageSize(
                configuration.getInt("parquet.page.size", ParquetWriter.DEFAULT_PAGE_SIZE))
            .withDictionaryEncoding(dictionary);
    for (DeltaColumn column : columns) {
      builder.withDictionaryEncoding(
          column.physicalName(),
          configuration.getBoolean(DICTIONARY + '#' + column.name(), dictionary));
    }
    return builder.build();
  }

  /** Returns the configured codec, snappy unless another is set. */
  static CompressionCodecName codec(Configuration configuration) {
    return CompressionCodecName.fromConf(
        configuration.get("parquet.compression", CompressionCodecName.SNAPPY.name()));
  }

  // Deprecated, but abstract: there is no other way to be one.
  @SuppressWarnings("deprecation")
  @Override
  public WriteContext init(Configuration configuration) {
    return new WriteContext(ParquetTypes.message(columns), Map.of());
  }

  @Override
  public void prepareForWrite(RecordConsumer recordConsumer) {
    this.consumer = recordConsumer;
  }

  @Override
  public void write(Object[] row) {
    consumer.startMessage();
    for (int c = 0; c < positions.length; c++) {
      addField(columns.get(c).physicalName(), c, columns.get(c).type(), row[positions[c]]);
    }
    consumer.endMessage();
  }

  private void add(DeltaType type, Object value) {
    if (type instanceof DeltaType.Struct struct) {
      addStruct(struct.fields(), (Object[]) value);
    } else if (type instanceof DeltaType.Array array) {
      addElements(array.element(), (Object[]) value);
    } else if (type instanceof DeltaType.Map map) {
      addEntries(map, (Object[]) value);
    } else {
      addPrimitive(value);
    }
  }

  private void addStruct(List<DeltaColumn> fields, Object[] values) {
    consumer.startGroup();
    for (int i = 0; i < values.length; i++) {
      addField(fields.get(i).physicalName(), i, fields.get(i).type(), values[i]);
    }
    consumer.endGroup();
  }

  private void addField(String name, int index, DeltaType type, Object value) {
    if (value != null) {
      consumer.startField(name, index);
      add(type, value);
      consumer.endField(name, index);
    }
  }

  /** A repeated group with one field an element, so that an element may be null. */
  private void addElements(DeltaType type, Object[] elements) {
    consumer.startGroup();
    if (elements.length > 0) {
      consumer.startField("list", 0);
      for (Object element : elements) {
        consumer.startGroup();
        addField("element", 0, type, element);
        consumer.endGroup();
      }
      consumer.endField("list", 0);
    }
    consumer.endGroup();
  }

  private void addEntries(DeltaType.Map type, Object[] keysAndValues) {
    consumer.startGroup();
    if (keysAndValues.length > 0) {
      consumer.startField("key_value", 0);
      for (int i = 0; i < keysAndValues.length; i += 2) {
        consumer.startGroup();
        addField("key", 0, type.key(), keysAndValues[i]);
        addField("value", 1, type.value(), keysAndValues[i + 1]);
        consumer.endGroup();
      }
      consumer.endField("key_value", 0);
    }
    consumer.endGroup();
  }

  private void addPrimitive(Object value) {
    if (value instanceof Binary binary) {
      consumer.addBinary(binary);
    } else if (value instanceof Long number) {
      consumer.addLong(number);
    } else if (value instanceof Integer number) {
      consumer.addInteger(number);
    } else if (value instanceof Double number) {
      consumer.addDouble(number);
    } else if (value instanceof Float number) {
      consumer.addFloat(number);
    } else {
      consumer.addBoolean((Boolean) value);
    }
  }

  private static final class Builder extends ParquetWriter.Builder<Object[], Builder> {

    private final ParquetRows rows;

    Builder(ForcedOutputFile file, ParquetRows rows) {
      super(file);
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
