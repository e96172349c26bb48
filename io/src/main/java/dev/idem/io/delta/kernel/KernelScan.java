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

import io.delta.kernel.Scan;
import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.FilteredColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.FileReadResult;
import io.delta.kernel.internal.InternalScanFileUtils;
import io.delta.kernel.internal.SnapshotImpl;
import io.delta.kernel.internal.actions.AddFile;
import io.delta.kernel.internal.data.ScanStateRow;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.internal.util.VectorUtils;
import io.delta.kernel.types.DataType;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.beam.sdk.annotations.Internal;

/** Reads rows of one snapshot as plain values in the order of the chosen columns. */
@Internal
public final class KernelScan {

  private final Engine engine;
  private final SnapshotImpl snapshot;
  private final StructType schema;

  KernelScan(Engine engine, SnapshotImpl snapshot, List<String> columns) {
    this.engine = engine;
    this.snapshot = snapshot;
    StructType chosen = new StructType();
    for (String column : columns) {
      StructField field = snapshot.getSchema().get(column);
      if (field == null) {
        throw new IllegalArgumentException(
            "Column must be one of "
                + snapshot.getSchema().fieldNames()
                + ", but was: \""
                + column
                + "\".");
      }
      chosen = chosen.add(field);
    }
    this.schema = chosen;
  }

  static List<KernelFile> files(Engine engine, SnapshotImpl snapshot) {
    List<KernelFile> files = new ArrayList<>();
    Scan scan = snapshot.getScanBuilder().build();
    try (CloseableIterator<FilteredColumnarBatch> batches = scan.getScanFiles(engine, true)) {
      while (batches.hasNext()) {
        try (CloseableIterator<Row> rows = batches.next().getRows()) {
          while (rows.hasNext()) {
            files.add(file(rows.next()));
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return files;
  }

  private static KernelFile file(Row scanFile) {
    AddFile add = new AddFile(scanFile.getStruct(InternalScanFileUtils.ADD_FILE_ORDINAL));
    return new KernelFile(
        add.getPath(),
        add.getSize(),
        add.getModificationTime(),
        VectorUtils.toJavaMap(add.getPartitionValues()),
        add.getStatsJson().orElse(null));
  }

  /** Hands every row of the files that {@code wanted} accepts to {@code rows}. */
  public void forEach(Predicate<KernelFile> wanted, Consumer<Object[]> rows) {
    Scan scan = snapshot.getScanBuilder().withReadSchema(schema).build();
    Row state = scan.getScanState(engine);
    try (CloseableIterator<FilteredColumnarBatch> batches = scan.getScanFiles(engine, true)) {
      while (batches.hasNext()) {
        try (CloseableIterator<Row> scanFiles = batches.next().getRows()) {
          while (scanFiles.hasNext()) {
            Row scanFile = scanFiles.next();
            if (wanted.test(file(scanFile))) {
              readFile(state, scanFile, rows);
            }
          }
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readFile(Row state, Row scanFile, Consumer<Object[]> rows) throws IOException {
    FileStatus status = InternalScanFileUtils.getAddFileStatus(scanFile);
    StructType physical = ScanStateRow.getPhysicalDataReadSchema(state);
    CloseableIterator<ColumnarBatch> data =
        engine
            .getParquetHandler()
            .readParquetFiles(Utils.singletonCloseableIterator(status), physical, Optional.empty())
            .map(FileReadResult::getData);
    try (CloseableIterator<FilteredColumnarBatch> batches =
        Scan.transformPhysicalData(engine, state, scanFile, data)) {
      while (batches.hasNext()) {
        FilteredColumnarBatch batch = batches.next();
        readBatch(batch.getData(), batch.getSelectionVector(), rows);
      }
    }
  }

  private void readBatch(
      ColumnarBatch batch, Optional<ColumnVector> selected, Consumer<Object[]> rows) {
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
        DataType type = schema.at(c).getDataType();
        row[c] = vectors[c].isNullAt(r) ? null : VectorUtils.getValueAsObject(vectors[c], type, r);
      }
      rows.accept(row);
    }
  }
}
