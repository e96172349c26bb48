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
package dev.idem.io.delta.merge;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.file.RowReading;
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.TableSchema;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes files of one version of a table anew without some of their rows. */
final class FileRewrite {

  private final DataFileSpec spec;
  private final TableSchema schema;
  private final KernelScan scan;
  private final RowReading reading;

  FileRewrite(MergeSpec merge, KernelSnapshot snapshot) {
    DataFileSpec rows = merge.rows();
    this.spec = rows.under(snapshot.schemaJson(), snapshot.partitionColumns());
    this.schema = spec.schema();
    this.scan = snapshot.scan(schema.data().stream().map(DeltaColumn::name).toList());
    this.reading = RowReading.of(BeamTypes.schema(schema.data()), schema.data());
  }

  /**
   * Writes the rows of files of one partition but for those that leave.
   *
   * @param leaving the rows that leave, by the handle of their file
   * @param partition the partition values of one of the files
   */
  List<DataFile> write(Map<String, Positions> leaving, Map<String, String> partition)
      throws IOException {
    Map<String, String> ordered = new LinkedHashMap<>();
    for (DeltaColumn column : schema.partition()) {
      ordered.put(column.physicalName(), partition.get(column.physicalName()));
    }
    try (DataFileWriter writer = DataFileWriter.inPartition(spec, ordered)) {
      for (Map.Entry<String, Positions> file : leaving.entrySet()) {
        scan.read(
            file.getKey(),
            (position, values) -> {
              if (!file.getValue().has(position)) {
                write(writer, values);
              }
            });
      }
      return writer.finish();
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void write(DataFileWriter writer, Object[] values) {
    try {
      writer.write(reading.row(values));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
