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
package dev.idem.io.delta.maintenance;

import dev.idem.io.delta.file.FileStatistics;
import dev.idem.io.delta.file.RowReading;
import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.delta.schema.BeamTypes;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.TableNames;
import dev.idem.io.delta.schema.TableSchema;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.Row;

/*
 * Files that were clustered in one go say so in the log, by the columns and an id of the rewrite, as
 * long as nobody rewrites them. Only together are their ranges known to be disjoint.
 */
/** The order of columns that rows are rewritten in. */
final class Clustering {

  private static final String COLUMNS = "idem.clusterBy";
  private static final String REWRITE = "idem.clusterId";

  private final List<DeltaColumn> columns;
  private final List<DeltaColumn> data;

  private Clustering(List<DeltaColumn> columns, List<DeltaColumn> data) {
    this.columns = columns;
    this.data = data;
  }

  /**
   * Returns the clustering by some columns of a table.
   *
   * @throws IllegalArgumentException if files have no bounds of one of them, or one is named twice
   */
  static Clustering of(String table, TableSchema schema, List<String> names) {
    List<DeltaColumn> bounded = FileStatistics.bounded(schema.data());
    Set<DeltaColumn> columns = new LinkedHashSet<>();
    for (String given : names) {
      String name = TableNames.of(schema.columns(), given);
      DeltaColumn column =
          bounded.stream()
              .filter(each -> each.name().equals(name))
              .findFirst()
              .orElseThrow(() -> MaintenanceErrors.notBounded(table, schema, bounded, name));
      if (!columns.add(column)) {
        throw MaintenanceErrors.namedTwice(table, name);
      }
    }
    return new Clustering(List.copyOf(columns), schema.data());
  }

  /** Returns the columns' names. */
  List<String> names() {
    return columns.stream().map(DeltaColumn::name).toList();
  }

  /**
   * Returns what the log says of the files of a partition that are rewritten together.
   *
   * @param planned the version they are rewritten from, which no other rewrite of the partition
   *     that is committed can have: of two the second finds its files gone
   */
  Map<String, String> tags(long planned) {
    return Map.of(COLUMNS, inFiles(), REWRITE, Long.toString(planned));
  }

  /* Names in files stay if columns are renamed, and have no comma. */
  private String inFiles() {
    return columns.stream().map(DeltaColumn::physicalName).collect(Collectors.joining(","));
  }

  /**
   * Returns how many files of a partition were not clustered with the others by these columns, or
   * are not {@code kept}; 0 if there is nothing to do.
   */
  int toCluster(List<KernelFile> partition, Predicate<KernelFile> kept) {
    Map<String, Integer> rewrites = new HashMap<>();
    for (KernelFile file : partition) {
      if (inFiles().equals(file.tags().get(COLUMNS)) && kept.test(file)) {
        rewrites.merge(file.tags().get(REWRITE), 1, Integer::sum);
      }
    }
    return partition.size() - rewrites.values().stream().mapToInt(n -> n).max().orElse(0);
  }

  /** Gives rows as a scan gives them. */
  interface Scan {
    void forEach(Rows<Object[]> rows) throws IOException;
  }

  /** Takes rows. */
  interface Rows<RowT> {
    void take(RowT row) throws IOException;
  }

  /** Hands the rows of a scan to {@code rows} in the order of the columns. */
  void sort(Scan scan, long memory, Rows<Row> rows) throws IOException {
    Schema schema = BeamTypes.schema(data);
    RowReading reading = RowReading.of(schema, data);
    RowCoder coder = RowCoder.of(schema);
    SortKey key = SortKey.of(columns, data);
    Path directory = Path.of(System.getProperty("java.io.tmpdir"));
    try (ExternalSorter sorter = new ExternalSorter(directory, memory)) {
      scan.forEach(
          values ->
              sorter.add(key.of(values), CoderUtils.encodeToByteArray(coder, reading.row(values))));
      sorter.drain((ignored, row) -> rows.take(CoderUtils.decodeFromByteArray(coder, row)));
    }
  }
}
