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

import dev.idem.io.delta.error.RowRefusedException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.TableSchema;
import dev.idem.io.file.Storage;
import dev.idem.io.file.StoredFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.apache.beam.sdk.values.Row;
import org.apache.hadoop.conf.Configuration;
import org.apache.parquet.hadoop.ParquetWriter;

/**
 * Writes rows into new data files of one table; used by workers, one writer a bundle or shard.
 *
 * <p><b>Guarantee.</b> What {@link #finish} returns is on the disk: files, their directories and
 * the directories above. Nothing is visible to readers of the table before a commit to it adds the
 * files. Names are random, so attempts never touch each other's files.
 *
 * <p><b>Replay.</b> An attempt that dies leaves files that no commit names; they are never read and
 * go with the table's next VACUUM. {@link #close} without {@link #finish} deletes them.
 *
 * <p><b>State and cost.</b> One file a partition value is open, at most 64 at a time; the one used
 * least recently is closed for the next. Rows of a file are held up to a row group: 64 MiB, 8 MiB
 * in partitioned tables.
 *
 * <p><b>Errors.</b> {@link RowRefusedException} for a row that breaks a rule of a column, after
 * which the writer goes on as if the row had not been given; {@link SchemaMismatchException} for
 * rows of a schema that does not fit.
 *
 * <pre>{@code
 * try (DataFileWriter writer = DataFileWriter.open(spec)) {
 *   rows.forEach(writer::write);
 *   return writer.finish();
 * }
 * }</pre>
 */
public final class DataFileWriter implements AutoCloseable {

  private static final int MAX_OPEN = 64;
  private static final int ROWS_BETWEEN_SIZE_CHECKS = 256;
  private static final long ROW_GROUP = 64L << 20;
  private static final long PARTITIONED_ROW_GROUP = 8L << 20;

  private final Storage storage;
  private final TableSchema schema;
  private final long targetFileSize;
  private final long rowGroupSize;
  private final Configuration configuration;
  private final boolean truncateNanoseconds;
  private final int[] dataPositions;
  private final int[] partitionPositions;
  private final Map<Map<String, String>, OpenFile> open = new LinkedHashMap<>(16, 0.75f, true);
  private final List<DataFile> closed = new ArrayList<>();
  private final Set<String> directories = new LinkedHashSet<>();
  private final List<String> written = new ArrayList<>();
  private final Map<String, String> partition;
  private RowBinding binding;
  private boolean finished;

  private DataFileWriter(DataFileSpec spec, TableSchema schema, Map<String, String> partition) {
    this.storage = Storage.at("Table path", spec.tablePath(), spec.hadoopConfiguration());
    this.schema = schema.requireNames();
    this.partition = partition;
    this.targetFileSize = spec.targetFileSize();
    this.rowGroupSize =
        Math.min(
            spec.targetFileSize(),
            spec.partitionColumns().isEmpty() ? ROW_GROUP : PARTITIONED_ROW_GROUP);
    this.configuration = new Configuration(false);
    spec.hadoopConfiguration().forEach(configuration::set);
    this.truncateNanoseconds = spec.truncateNanoseconds();
    this.dataPositions = positions(schema.data());
    this.partitionPositions = positions(schema.partition());
  }

  /** Opens a writer; no file exists before the first row. */
  public static DataFileWriter open(DataFileSpec spec) {
    return new DataFileWriter(spec, spec.schema(), Map.of());
  }

  /**
   * Opens a writer of one partition, whose rows are without partition columns. The partition values
   * stay as another file of the partition has them, in whichever text form that is.
   */
  public static DataFileWriter inPartition(DataFileSpec spec, Map<String, String> partition) {
    List<DeltaColumn> data = spec.schema().data();
    return new DataFileWriter(spec, new TableSchema(data, data, List.of()), partition);
  }

  private int[] positions(List<DeltaColumn> columns) {
    return columns.stream().mapToInt(schema.columns()::indexOf).toArray();
  }

  /** Writes one row. */
  public void write(Row row) throws IOException {
    if (finished) {
      throw new IllegalStateException("Data file writer must not be used after finish().");
    }
    if (binding == null || !binding.binds(row.getSchema())) {
      binding =
          RowBinding.of(
              row.getSchema(), schema.columns(), "", storage.path(""), truncateNanoseconds);
    }
    Object[] values = binding.encode(row);
    Map<String, String> place =
        partitionPositions.length == 0
            ? partition
            : PartitionValues.of(schema.partition(), partitionPositions, values);
    OpenFile file = open.get(place);
    if (file == null) {
      file = openFile(place);
    }
    file.writer.write(values);
    file.rows++;
    if (file.rows % ROWS_BETWEEN_SIZE_CHECKS == 0 && file.writer.getDataSize() >= targetFileSize) {
      open.remove(place);
      closeFile(place, file);
    }
  }

  private OpenFile openFile(Map<String, String> partition) throws IOException {
    if (open.size() >= MAX_OPEN) {
      Iterator<Map.Entry<Map<String, String>, OpenFile>> eldest = open.entrySet().iterator();
      Map.Entry<Map<String, String>, OpenFile> entry = eldest.next();
      eldest.remove();
      closeFile(entry.getKey(), entry.getValue());
    }
    String directory = PartitionValues.directory(partition);
    String name =
        directory
            + "part-"
            + UUID.randomUUID()
            + ParquetRows.codec(configuration).getExtension()
            + ".parquet";
    storage.createDirectories(directory);
    written.add(name);
    OpenFile file =
        new OpenFile(
            directory,
            name,
            ParquetRows.open(
                storage, name, schema.data(), dataPositions, configuration, rowGroupSize));
    open.put(partition, file);
    return file;
  }

  private void closeFile(Map<String, String> partition, OpenFile file) throws IOException {
    file.writer.close();
    storage.forceFile(file.name);
    StoredFile stored =
        storage.find(file.name).orElseThrow(() -> new NoSuchFileException(file.name));
    directories.add(file.directory);
    closed.add(
        new DataFile(
            PartitionValues.uri(file.name),
            stored.size(),
            stored.modified(),
            partition,
            FileStatistics.json(file.writer.getFooter(), schema.data()),
            file.rows));
  }

  /**
   * Closes and forces the files and their directories.
   *
   * @return the files, none if there was no row
   */
  public List<DataFile> finish() throws IOException {
    for (Map.Entry<Map<String, String>, OpenFile> entry : open.entrySet()) {
      closeFile(entry.getKey(), entry.getValue());
    }
    open.clear();
    for (String directory : directories) {
      storage.forceDirectory(directory);
    }
    finished = true;
    return List.copyOf(closed);
  }

  /** Deletes what was written, unless {@link #finish} has returned it. */
  @Override
  public void close() throws IOException {
    if (finished) {
      return;
    }
    finished = true;
    IOException failure = null;
    for (OpenFile file : open.values()) {
      try {
        file.writer.close();
      } catch (IOException e) {
        failure = chain(failure, e);
      }
    }
    for (String file : written) {
      try {
        storage.delete(file);
      } catch (IOException e) {
        failure = chain(failure, e);
      }
    }
    if (failure != null) {
      throw failure;
    }
  }

  private static IOException chain(IOException first, IOException next) {
    if (first == null) {
      return next;
    }
    first.addSuppressed(next);
    return first;
  }

  private static final class OpenFile {

    private final String directory;
    private final String name;
    private final ParquetWriter<Object[]> writer;
    private long rows;

    OpenFile(String directory, String name, ParquetWriter<Object[]> writer) {
      this.directory = directory;
      this.name = name;
      this.writer = writer;
    }
  }
}
