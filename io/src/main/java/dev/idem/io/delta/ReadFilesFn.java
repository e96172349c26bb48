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

import dev.idem.io.delta.file.RowReading;
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.table.TableErrors;
import dev.idem.io.delta.table.TableVersion;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.Row;

/** Reads the rows of files of one version. */
final class ReadFilesFn extends DoFn<String, Row> {

  private static final long serialVersionUID = 1L;

  private final TableVersion version;
  private final List<DeltaColumn> columns;
  private transient KernelScan scan;
  private transient RowReading reading;

  ReadFilesFn(TableVersion version, List<DeltaColumn> columns) {
    this.version = version;
    this.columns = columns;
  }

  @Setup
  public void open() {
    scan = version.scan();
    reading = RowReading.of(BeamTypes.schema(columns), columns);
  }

  @ProcessElement
  public void read(@Element String handle, OutputReceiver<Row> output) throws IOException {
    try {
      scan.read(handle, (position, values) -> output.output(reading.row(values)));
    } catch (NoSuchFileException e) {
      throw TableErrors.vacuumed(version.path(), version.version(), e);
    }
  }
}
