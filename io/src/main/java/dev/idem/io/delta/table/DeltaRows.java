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
package dev.idem.io.delta.table;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.RowReading;
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.file.Storage;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/**
 * The rows of a Delta table's current version, read in this process and in no order.
 *
 * <p>Made for tables of this library, such as the memory of a job, and for looking at results; a
 * pipeline reads a table in parallel by other means.
 *
 * <pre>{@code
 * List<Row> rows = DeltaRows.read("/data/orders").select("id", "amount").toList();
 * }</pre>
 */
public final class DeltaRows {

  private final String path;
  private final Map<String, String> hadoopConfiguration;
  private final List<String> columns;
  private final Predicate<DataFile> wanted;

  private DeltaRows(
      String path,
      Map<String, String> hadoopConfiguration,
      List<String> columns,
      Predicate<DataFile> wanted) {
    this.path = path;
    this.hadoopConfiguration = hadoopConfiguration;
    this.columns = columns;
    this.wanted = wanted;
  }

  /**
   * Returns all rows of the table at a local path, or a URI of a scheme that is supported; none if
   * there is none.
   */
  public static DeltaRows read(String path) {
    return new DeltaRows(path, Map.of(), List.of(), file -> true);
  }

  /** Returns these rows, read with settings for Parquet and its codecs. */
  public DeltaRows withHadoopConfiguration(Map<String, String> configuration) {
    return new DeltaRows(path, Map.copyOf(configuration), columns, wanted);
  }

  /** Returns these rows with the given columns only, in the given order. */
  public DeltaRows select(String... names) {
    return new DeltaRows(path, hadoopConfiguration, List.of(names), wanted);
  }

  /** Returns the rows of those files that {@code accepted} accepts as well. */
  public DeltaRows fromFiles(Predicate<DataFile> accepted) {
    return new DeltaRows(path, hadoopConfiguration, columns, wanted.and(accepted));
  }

  /** Returns the rows. */
  public List<Row> toList() {
    List<Row> rows = new ArrayList<>();
    forEach(rows::add);
    return rows;
  }

  /** Hands every row to {@code consumer}. */
  public void forEach(Consumer<Row> consumer) {
    Storage storage = Storage.at("Table path", path, hadoopConfiguration);
    KernelTable table = KernelTable.at(storage, hadoopConfiguration, Clock.systemUTC());
    table.load().ifPresent(snapshot -> forEach(snapshot, consumer));
  }

  private void forEach(KernelSnapshot snapshot, Consumer<Row> consumer) {
    Map<String, DeltaColumn> byName = new HashMap<>();
    List<String> names = new ArrayList<>();
    for (DeltaColumn column : SchemaJson.read(snapshot.schemaJson())) {
      byName.put(column.name(), column);
      names.add(column.name());
    }
    KernelScan scan = snapshot.scan(columns.isEmpty() ? names : columns);
    List<DeltaColumn> chosen =
        (columns.isEmpty() ? names : columns).stream().map(byName::get).toList();
    Schema schema = BeamTypes.schema(chosen);
    RowReading reading = RowReading.of(schema, chosen);
    scan.forEach(
        file -> wanted.test(LogFiles.dataFile(file)),
        values -> consumer.accept(reading.row(values)));
  }
}
