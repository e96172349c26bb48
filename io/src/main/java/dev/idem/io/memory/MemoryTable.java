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
package dev.idem.io.memory;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.transforms.dedup.KeyMemory;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;

/**
 * The Delta table in which a deduplicating job remembers the keys of earlier batches: one row a key
 * and change of its expiry, marked with the batch that wrote it.
 *
 * <p><b>Guarantee.</b> Batch N sees what batches before it remembered and nothing else, at every
 * attempt: it reads only rows that are marked with a lower number.
 *
 * <p><b>Replay.</b> Rows of batch N that were committed before a crash are not seen by the replay
 * of N, so it decides as the first attempt did. Expired rows leave the table, and files are merged,
 * only in the commit of a later batch. What that commit removes from the table is deleted from the
 * disk once the batch is done: its replay would read the current version, as every batch does.
 *
 * <p><b>State and cost.</b> Two runs of files, one of them at most a quarter of the other, and the
 * last batch's, so a key's shard is in about three files; each key takes some 40 bytes on disk. A
 * process keeps all remembered keys in memory, about 60 bytes each, and reads only what is new.
 */
public final class MemoryTable {

  /** The number of shards, named by the first bits of a key's fingerprint. */
  public static final int SHARDS = 64;

  /** The schema of the rows. */
  public static final Schema SCHEMA =
      Schema.builder()
          .addInt32Field("shard")
          .addInt64Field("key_high")
          .addInt64Field("key_low")
          .addInt64Field("payload")
          .addField("expiry", FieldType.logicalType(new MicrosInstant()))
          .addInt64Field("batch")
          .build();

  /** A smaller run joins a larger one that is not more than so many times its size. */
  private static final int MERGE_RATIO = 4;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final String path;
  private final String epoch;
  private final Map<String, String> hadoopConfiguration;
  private final DeltaTable table;

  private MemoryTable(String path, String epoch, Map<String, String> hadoopConfiguration) {
    this.path = path;
    this.epoch = epoch;
    this.hadoopConfiguration = Map.copyOf(hadoopConfiguration);
    this.table = DeltaTable.at(path, hadoopConfiguration);
  }

  /**
   * Returns the memory at a path.
   *
   * @param epoch the life of the checkpoint whose batches it remembers
   */
  public static MemoryTable at(String path, String epoch, Map<String, String> hadoopConfiguration) {
    return new MemoryTable(path, epoch, hadoopConfiguration);
  }

  /** Returns how the files of the memory at a path are written. */
  public static DataFileSpec files(String path, Map<String, String> hadoopConfiguration) {
    return DataFileSpec.of(path, DeltaSchemas.toJson(SCHEMA))
        .withHadoopConfiguration(hadoopConfiguration)
        .withoutDictionary("key_high", "key_low", "payload", "expiry");
  }

  /** Returns the row that remembers a key. */
  public static Row row(Remembered remembered, long batch) {
    return row(
        remembered.key().high(),
        remembered.key().low(),
        remembered.payload(),
        remembered.expiry().getMillis(),
        batch);
  }

  private static Row row(long high, long low, long payload, long expiry, long batch) {
    return Row.withSchema(SCHEMA)
        .attachValues((int) (high >>> 58), high, low, payload, Instant.ofEpochMilli(expiry), batch);
  }

  /** Returns what batches before {@code batch} remember, for the workers of that batch. */
  public KeyMemory before(long batch, Optional<Instant> watermark) {
    return new RememberedBefore(path, epoch, hadoopConfiguration, batch, millis(watermark));
  }

  private static long millis(Optional<Instant> watermark) {
    return watermark.map(Instant::toEpochMilli).orElse(Long.MIN_VALUE);
  }

  /**
   * Files to add and to remove in the commit of a batch, beside those of the batch itself.
   *
   * @param add files with what is still remembered of the removed ones
   * @param remove files that are merged, or hold nothing but expired keys
   */
  public record Maintenance(List<DataFile> add, List<DataFile> remove) {
    /** Leaves the files as they are. */
    public static final Maintenance NONE = new Maintenance(List.of(), List.of());
  }

  /**
   * Merges files and drops expired keys, as far as it pays, for the commit of {@code batch}. Call
   * it once a batch, before its commit; files of a call whose result is not committed are in no
   * table. Workers may look up what {@link #before} gave them meanwhile.
   */
  public Maintenance maintain(long batch, Optional<Instant> watermark) throws IOException {
    List<Run> runs = runs(table.files());
    if (runs.size() < 3) {
      return Maintenance.NONE;
    }
    long oldest = runs.get(0).rows();
    long newer = runs.stream().skip(1).mapToLong(Run::rows).sum();
    long now = millis(watermark);
    FingerprintMap[] keys = MemoryCache.of(path, epoch, hadoopConfiguration).advance(batch, now);
    long size = Arrays.stream(keys).mapToLong(FingerprintMap::size).sum();
    boolean mostExpired = size * 2 < oldest + newer;
    boolean all = mostExpired || newer * MERGE_RATIO >= oldest;
    List<Run> merged = all ? runs : runs.subList(1, runs.size());
    long firstBatch = merged.get(0).firstBatch();
    List<DataFile> added = new ArrayList<>();
    try (DataFileWriter writer = DataFileWriter.open(files(path, hadoopConfiguration))) {
      FingerprintMap.Visitor write =
          (high, low, payload, expiry, marked) -> {
            if (marked >= firstBatch && expiry > now) {
              try {
                writer.write(row(high, low, payload, expiry, marked));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
          };
      for (FingerprintMap shard : keys) {
        shard.forEach(write);
      }
      added.addAll(writer.finish());
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
    return new Maintenance(added, merged.stream().flatMap(run -> run.files().stream()).toList());
  }

  /** Files whose batches overlap: what one merge, or one batch, wrote. */
  private record Run(List<DataFile> files, long firstBatch, long lastBatch) {
    long rows() {
      return files.stream().mapToLong(DataFile::rows).sum();
    }
  }

  private static List<Run> runs(List<DataFile> files) {
    List<Run> runs = new ArrayList<>();
    files.stream()
        .sorted(Comparator.comparingLong(file -> batch(file, "minValues")))
        .forEach(
            file -> {
              long first = batch(file, "minValues");
              long last = batch(file, "maxValues");
              Run open = runs.isEmpty() ? null : runs.get(runs.size() - 1);
              if (open != null && first <= open.lastBatch()) {
                List<DataFile> joined = new ArrayList<>(open.files());
                joined.add(file);
                runs.set(
                    runs.size() - 1,
                    new Run(joined, open.firstBatch(), Math.max(last, open.lastBatch())));
              } else {
                runs.add(new Run(List.of(file), first, last));
              }
            });
    return runs;
  }

  static long batch(DataFile file, String bound) {
    try {
      JsonNode value = MAPPER.readTree(file.stats()).path(bound).path("batch");
      if (!value.isIntegralNumber()) {
        throw new IllegalStateException(
            "Memory file must have statistics of its batches, but has none: "
                + file.path()
                + ". The memory was written by something else; restore it.");
      }
      return value.longValue();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Statistics of " + file.path() + " must be JSON.", e);
    }
  }
}
