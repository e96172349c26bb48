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

import dev.idem.io.file.Storage;
import io.delta.kernel.Scan;
import io.delta.kernel.data.ArrayValue;
import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.data.MapValue;
import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.internal.json.JsonUtils;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.FileReadResult;
import io.delta.kernel.internal.InternalScanFileUtils;
import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.data.GenericRow;
import io.delta.kernel.internal.data.ScanStateRow;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.internal.util.VectorUtils;
import io.delta.kernel.types.ArrayType;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.MapType;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.delta.kernel.types.TimestampNTZType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.beam.sdk.annotations.Internal;

/** Reads rows of one snapshot as plain values in the order of the chosen columns. */
@Internal
public final class KernelScan {

  private static final String CHANGE_TYPE = "_change_type";

  private final Storage storage;
  private final Engine engine;
  private final SnapshotImpl snapshot;
  private final StructType schema;
  private final Row state;

  KernelScan(Storage storage, Engine engine, SnapshotImpl snapshot, List<String> columns) {
    this.storage = storage;
    this.engine = engine;
    this.snapshot = snapshot;
    StructType chosen = new StructType();
    for (String column : columns) {
      chosen = chosen.add(field(snapshot.getSchema(), column));
    }
    this.schema = chosen;
    this.state = scan().getScanState(engine);
  }

  static StructField field(StructType schema, String column) {
    if (schema.indexOf(column) < 0) {
      throw new IllegalArgumentException(
          "Column must be one of " + schema.fieldNames() + ", but was: \"" + column + "\".");
    }
    return schema.get(column);
  }

  static void forEachFile(Engine engine, Scan scan, Consumer<KernelFile> files) {
    try (CloseableIterator<FilteredColumnarBatch> batches = scan.getScanFiles(engine, true)) {
      while (batches.hasNext()) {
        try (CloseableIterator<Row> rows = batches.next().getRows()) {
          while (rows.hasNext()) {
            files.accept(file(rows.next()));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KernelFile file(Row scanFile) {
    AddFile add = new AddFile(scanFile.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL));
    return new KernelFile(
        add.getPath(),
        add.getSize(),
        add.getModificationTime(),
        VectorUtils.toJavaMap(add.getPartitionValues()),
        add.getStatsJson().orElse(null),
        add.getTags().map(VectorUtils::<String, String>toJavaMap).orElse(Map.of()),
        add);
  }

  /**
   * Returns the files that {@code wanted} accepts, each as text by which {@link #read} finds it, on
   * any machine.
   */
  public List<String> handles(Predicate<KernelFile> wanted) {
    List<String> handles = new ArrayList<>();
    forEachFile(wanted, scanFile -> handles.add(JsonUtils.rowToJson(scanFile)));
    return handles;
  }

  /**
   * Returns the text by which {@link #read} finds a file on any machine: one of the snapshot, or
   * one that is not committed yet.
   */
  public String handle(KernelFile file) {
    return JsonUtils.rowToJson(scanFile(file));
  }

  /** Returns the partition values of the file of a handle, in the protocol's text form. */
  public static Map<String, String> partitionValues(String handle) {
    Row add = scanFile(handle).getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL);
    return VectorUtils.toJavaMap(new AddFile(add).getPartitionValues());
  }

  /** Takes the rows of a file. */
  public interface Rows {
    /**
     * Takes a row.
     *
     * @param position its place in the file, from 0; rows that are deleted have one, too
     */
    void take(long position, Object[] values);
  }

  /**
   * Hands every row of the file of a handle to {@code rows}.
   *
   * @throws NoSuchFileException if the file, or that of its deletion vector, is gone
   */
  public void read(String handle, Rows rows) throws IOException {
    readFile(scanFile(handle), rows);
  }

  /**
   * Returns the type of change of every row of a file of a change data feed, in order.
   *
   * @throws NoSuchFileException if the file is gone
   */
  public List<String> changeTypes(String handle) throws IOException {
    StructType type = new StructType().add(CHANGE_TYPE, StringType.STRING);
    List<String> types = new ArrayList<>();
    try (CloseableIterator<ColumnarBatch> batches = parquet(scanFile(handle), type)) {
      while (batches.hasNext()) {
        ColumnVector vector = batches.next().getColumnVector(0);
        for (int r = 0; r < vector.getSize(); r++) {
          // There are four of them, and many rows.
          types.add(vector.getString(r).intern());
        }
      }
    }
    return types;
  }

  private static Row scanFile(String handle) {
    return JsonUtils.rowFromJson(handle, InternalScanFileUtils.SCAN_FILE_SCHEMA_WITH_STATS);
  }

  /**
   * Hands every row of a file of the snapshot to {@code rows}.
   *
   * @throws NoSuchFileException if the file, or that of its deletion vector, is gone
   */
  public void read(KernelFile file, Consumer<Object[]> rows) throws IOException {
    readFile(scanFile(file), (position, values) -> rows.accept(values));
  }

  private Row scanFile(KernelFile file) {
    StructType scanFile = InternalScanFileUtils.SCAN_FILE_SCHEMA_WITH_STATS;
    AddFile added = file.added();
    return new GenericRow(
        scanFile,
        Map.of(
            InternalScanFileUtils.ADD_FILE_ORDINAL,
            added == null
                ? KernelSnapshot.add(new KernelCommit.Action(file, true, true))
                : added.toRow(),
            scanFile.indexOf(InternalScanFileUtils.TABLE_ROOT_STRUCT_FIELD.getName()),
            snapshot.getDataPath().toUri().toString()));
  }

  /** Hands every row of the files that {@code wanted} accepts to {@code rows}. */
  public void forEach(Predicate<KernelFile> wanted, Consumer<Object[]> rows) {
    forEachFile(
        wanted,
        scanFile -> {
          try {
            readFile(scanFile, (position, values) -> rows.accept(values));
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  private Scan scan() {
    return snapshot.getScanBuilder().withReadSchema(schema).build();
  }

  private void forEachFile(Predicate<KernelFile> wanted, Consumer<Row> files) {
    try (CloseableIterator<FilteredColumnarBatch> batches = scan().getScanFiles(engine, true)) {
      while (batches.hasNext()) {
        try (CloseableIterator<Row> scanFiles = batches.next().getRows()) {
          while (scanFiles.hasNext()) {
            Row scanFile = scanFiles.next();
            if (wanted.test(file(scanFile))) {
              files.accept(scanFile);
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readFile(Row scanFile, Rows rows) throws IOException {
    requireDeletionVector(scanFile);
    CloseableIterator<ColumnarBatch> data =
        parquet(scanFile, ScanStateRow.getPhysicalDataReadSchema(state));
    try (CloseableIterator<FilteredColumnarBatch> batches =
        Scan.transformPhysicalData(engine, state, scanFile, data)) {
      long position = 0;
      while (batches.hasNext()) {
        FilteredColumnarBatch batch = next(batches, scanFile);
        readBatch(position, batch.getData(), batch.getSelectionVector(), rows);
        position += batch.getData().getSize();
      }
    }
  }

  private void requireDeletionVector(Row scanFile) throws IOException {
    DeletionVectorDescriptor vector =
        InternalScanFileUtils.getDeletionVectorDescriptorFromRow(scanFile);
    if (vector != null && vector.isOnDisk()) {
      String path = vector.getAbsolutePath(storage.path(""));
      if (storage.find(path).isEmpty()) {
        throw new NoSuchFileException(path);
      }
    }
  }

  /* Of a deletion vector that is damaged Kernel does not say whose it is. */
  private static FilteredColumnarBatch next(
      CloseableIterator<FilteredColumnarBatch> batches, Row scanFile) throws IOException {
    try {
      return batches.next();
    } catch (RuntimeException e) {
      DeletionVectorDescriptor vector =
          InternalScanFileUtils.getDeletionVectorDescriptorFromRow(scanFile);
      if (vector == null) {
        throw e;
      }
      throw new IOException(
          "File must be readable with its deletion vector, but was not: \"%s\" with %s."
              .formatted(InternalScanFileUtils.getAddFileStatus(scanFile).getPath(), vector),
          e);
    }
  }

  private CloseableIterator<ColumnarBatch> parquet(Row scanFile, StructType columns)
      throws IOException {
    FileStatus status = InternalScanFileUtils.getAddFileStatus(scanFile);
    if (storage.find(status.getPath()).isEmpty()) {
      throw new NoSuchFileException(status.getPath());
    }
    return engine
        .getParquetHandler()
        .readParquetFiles(Utils.singletonCloseableIterator(status), columns, Optional.empty())
        .map(FileReadResult::getData);
  }

  private void readBatch(
      long position, ColumnarBatch batch, Optional<ColumnVector> selected, Rows rows) {
    int width = schema.length();
    ColumnVector[] vectors = new ColumnVector[width];
    for (int c = 0; c < width; c++) {
      vectors[c] = batch.getColumnVector(batch.getSchema().indexOf(schema.at(c).getName()));
    }
    for (int r = 0; r < batch.getSize(); r++) {
      if (selected.isPresent() && (selected.get().isNullAt(r) || !selected.get().getBoolean(r))) {
        continue;
      }
      Object[] row = new Object[width];
      for (int c = 0; c < width; c++) {
        row[c] = value(vectors[c], schema.at(c).getDataType(), r);
      }
      rows.take(position + r, row);
    }
  }

  /** Returns a value; of a struct an array of its values, of an array a list, of a map a map. */
  private static Object value(ColumnVector vector, DataType type, int row) {
    if (vector.isNullAt(row)) {
      return null;
    }
    if (type instanceof StructType struct) {
      Object[] values = new Object[struct.length()];
      for (int i = 0; i < values.length; i++) {
        values[i] = value(vector.getChild(i), struct.at(i).getDataType(), row);
      }
      return values;
    }
    if (type instanceof ArrayType array) {
      ArrayValue value = vector.getArray(row);
      return values(value.getElements(), array.getElementType(), value.getSize());
    }
    if (type instanceof MapType map) {
      MapValue value = vector.getMap(row);
      List<Object> keys = values(value.getKeys(), map.getKeyType(), value.getSize());
      List<Object> mapped = values(value.getValues(), map.getValueType(), value.getSize());
      Map<Object, Object> entries = new LinkedHashMap<>();
      for (int i = 0; i < keys.size(); i++) {
        entries.put(keys.get(i), mapped.get(i));
      }
      return entries;
    }
    return type instanceof TimestampNTZType
        ? vector.getLong(row)
        : VectorUtils.getValueAsObject(vector, type, row);
  }

  private static List<Object> values(ColumnVector vector, DataType type, int size) {
    List<Object> values = new ArrayList<>(size);
    for (int i = 0; i < size; i++) {
      values.add(value(vector, type, i));
    }
    return values;
  }
}
