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
package dev.idem.io.delta.changes;

import dev.idem.io.delta.file.RowReading;
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.table.TableErrors;
import dev.idem.io.delta.table.TableVersion;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.TimestampedValue;

/** Reads the changes in the files of versions. */
final class ReadChangesFn<T> extends DoFn<ChangedFile, T> {

  private static final long serialVersionUID = 1L;

  /** Positions of one file are below it. */
  private static final int POSITION_BITS = 40;

  private final TableVersion version;
  private final List<DeltaColumn> columns;
  private final SerializableFunction<TableChange, TimestampedValue<T>> function;
  private transient KernelScan scan;
  private transient RowReading reading;

  ReadChangesFn(
      TableVersion version,
      List<DeltaColumn> columns,
      SerializableFunction<TableChange, TimestampedValue<T>> function) {
    this.version = version;
    this.columns = columns;
    this.function = function;
  }

  @Setup
  public void open() {
    scan = version.scan();
    reading = RowReading.of(BeamTypes.schema(columns), columns);
  }

  @ProcessElement
  public void read(@Element ChangedFile file, OutputReceiver<T> output) throws IOException {
    try {
      switch (file.kind()) {
        case ADDED -> scan.read(file.handle(), rows(file, TableChange.INSERT, output));
        case REMOVED -> scan.read(file.handle(), rows(file, TableChange.DELETE, output));
        case CHANGE_DATA -> {
          List<String> types = scan.changeTypes(file.handle());
          scan.read(
              file.handle(),
              (position, values) ->
                  rows(file, types.get((int) position), output).take(position, values));
        }
        case VECTOR -> {
          scan.read(
              file.before(),
              without(positions(file.handle()), rows(file, TableChange.DELETE, output)));
          scan.read(
              file.handle(),
              without(positions(file.before()), rows(file, TableChange.INSERT, output)));
        }
      }
    } catch (NoSuchFileException e) {
      throw TableErrors.vacuumed(version.path(), file.version(), e);
    }
  }

  private KernelScan.Rows rows(ChangedFile file, String type, OutputReceiver<T> output) {
    Instant time = Instant.ofEpochMilli(file.time());
    long base = (long) file.ordinal() << POSITION_BITS;
    return (position, values) -> {
      TimestampedValue<T> element =
          function.apply(
              new TableChange(reading.row(values), type, file.version(), time, base | position));
      output.outputWithTimestamp(element.getValue(), element.getTimestamp());
    };
  }

  private BitSet positions(String handle) throws IOException {
    BitSet positions = new BitSet();
    scan.read(handle, (position, values) -> positions.set(Math.toIntExact(position)));
    return positions;
  }

  private static KernelScan.Rows without(BitSet positions, KernelScan.Rows rows) {
    return (position, values) -> {
      if (!positions.get(Math.toIntExact(position))) {
        rows.take(position, values);
      }
    };
  }
}
