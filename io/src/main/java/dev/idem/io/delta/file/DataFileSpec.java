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
import dev.idem.io.delta.schema.TableSchema;
import dev.idem.io.file.Storage;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How workers write the data files of one table.
 *
 * @param tablePath the table's directory, a local path, or a URI of a scheme that is supported
 * @param schemaJson the table's Delta schema
 * @param partitionColumns the partition columns, in order
 * @param targetFileSize a file is closed once it holds about this many bytes
 * @param hadoopConfiguration settings for Parquet ({@code parquet.compression}, {@code
 *     parquet.block.size}, {@code parquet.page.size}, {@code parquet.enable.dictionary}, for one
 *     column {@code parquet.enable.dictionary#COLUMN}) and its codecs
 * @param truncateNanoseconds whether timestamps of nanoseconds are taken and truncated to
 *     microseconds, towards the past; otherwise they are refused
 */
public record DataFileSpec(
    String tablePath,
    String schemaJson,
    List<String> partitionColumns,
    long targetFileSize,
    Map<String, String> hadoopConfiguration,
    boolean truncateNanoseconds)
    implements Serializable {

  /** The target file size unless another is given: 128 MiB. */
  public static final long DEFAULT_TARGET_FILE_SIZE = 128L << 20;

  /** Checks the values and takes copies of the collections. */
  public DataFileSpec {
    Storage.location("Table path", tablePath);
    if (targetFileSize < 1) {
      throw new IllegalArgumentException(
          "Target file size must be positive, but was: " + targetFileSize + ". Give bytes.");
    }
    // Ordered, so that the serialised form is the same on every run.
    hadoopConfiguration = new TreeMap<>(hadoopConfiguration);
    partitionColumns =
        TableSchema.of(schemaJson, partitionColumns).partition().stream()
            .map(DeltaColumn::name)
            .toList();
  }

  /** Returns a specification of an unpartitioned table with the default file size. */
  public static DataFileSpec of(String tablePath, String schemaJson) {
    return new DataFileSpec(
        tablePath, schemaJson, List.of(), DEFAULT_TARGET_FILE_SIZE, Map.of(), false);
  }

  /** Returns this specification with partition columns. */
  public DataFileSpec withPartitionColumns(List<String> columns) {
    return new DataFileSpec(
        tablePath, schemaJson, columns, targetFileSize, hadoopConfiguration, truncateNanoseconds);
  }

  /** Returns this specification with another target file size. */
  public DataFileSpec withTargetFileSize(long bytes) {
    return new DataFileSpec(
        tablePath, schemaJson, partitionColumns, bytes, hadoopConfiguration, truncateNanoseconds);
  }

  /** Returns this specification with settings for Parquet and its codecs. */
  public DataFileSpec withHadoopConfiguration(Map<String, String> configuration) {
    return new DataFileSpec(
        tablePath,
        schemaJson,
        partitionColumns,
        targetFileSize,
        configuration,
        truncateNanoseconds);
  }

  /**
   * Returns this specification for columns whose values hardly ever repeat: no dictionary of them
   * is tried, unless the configuration says something of the column.
   */
  public DataFileSpec withoutDictionary(String... columns) {
    Map<String, String> configuration = new TreeMap<>(hadoopConfiguration);
    for (String column : columns) {
      configuration.putIfAbsent("parquet.enable.dictionary#" + column, "false");
    }
    return withHadoopConfiguration(configuration);
  }

  /** Returns this specification for rows whose timestamps of nanoseconds are truncated. */
  public DataFileSpec truncatingNanoseconds() {
    return new DataFileSpec(
        tablePath, schemaJson, partitionColumns, targetFileSize, hadoopConfiguration, true);
  }

  /** Returns this specification for columns under other names. */
  public DataFileSpec under(String namedJson, List<String> namedPartitionColumns) {
    return new DataFileSpec(
        tablePath,
        namedJson,
        namedPartitionColumns,
        targetFileSize,
        hadoopConfiguration,
        truncateNanoseconds);
  }

  /** Returns the columns of the rows, and which of them are in the files. */
  public TableSchema schema() {
    return TableSchema.of(schemaJson, partitionColumns);
  }

  @Override
  public Map<String, String> hadoopConfiguration() {
    return Map.copyOf(hadoopConfiguration);
  }

  /** Leaves out the configuration, which may hold credentials. */
  @Override
  public String toString() {
    return "DataFileSpec[" + tablePath + ", partitioned by " + partitionColumns + "]";
  }
}
