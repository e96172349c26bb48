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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Many small batches: the last ones take as long as early ones, and no memory is kept. */
class LongRunChaosIT {

  private static final Schema SCHEMA = Schema.builder().addInt64Field("id").build();
  private static final double SLOWER_AT_MOST = 1.2;
  private static final int ROWS = 10;

  @TempDir private Path directory;

  @Test
  void tenThousandCommitsDoNotSlowDown() throws IOException {
    String schema = DeltaSchemas.toJson(SCHEMA);
    DeltaTable table = DeltaTable.at(directory.toString(), Map.of());
    long[] nanos = new long[10_000];
    long heap = 0;
    for (int batch = 0; batch < nanos.length; batch++) {
      List<DataFile> files = files(schema, batch);
      long begun = System.nanoTime();
      table.commit(
          DeltaCommit.of("long/main", batch, "plan-" + batch, "content", schema)
              .withFiles(files)
              .withoutGaps());
      nanos[batch] = System.nanoTime() - begun;
      if (batch == 600) {
        heap = heap();
      }
    }
    long heapAtEnd = heap();

    long early = median(nanos, 500, 600);
    long late = median(nanos, 9_900, 10_000);
    System.out.printf(
        "commits 501-600: %d us, 9,901-10,000: %d us; heap %d KiB, then %d KiB%n",
        early / 1_000, late / 1_000, heap >> 10, heapAtEnd >> 10);
    List<Long> ids =
        DeltaRows.read(directory.toString()).toList().stream()
            .map(row -> row.getInt64("id"))
            .sorted()
            .toList();
    assertThat(ids, is(LongStream.range(0, (long) nanos.length * ROWS).boxed().toList()));
    assertThat((double) late / early, lessThanOrEqualTo(SLOWER_AT_MOST));
    assertThat((double) heapAtEnd / heap, lessThanOrEqualTo(SLOWER_AT_MOST));
  }

  private List<DataFile> files(String schema, long batch) throws IOException {
    try (DataFileWriter writer =
        DataFileWriter.open(DataFileSpec.of(directory.toString(), schema))) {
      for (long id = batch * ROWS; id < (batch + 1) * ROWS; id++) {
        writer.write(Row.withSchema(SCHEMA).addValue(id).build());
      }
      return writer.finish();
    }
  }

  private static long median(long[] values, int from, int to) {
    long[] sorted = Arrays.copyOfRange(values, from, to);
    Arrays.sort(sorted);
    return sorted[sorted.length / 2];
  }

  private static long heap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void aThousandBatchesOfAJobDoNotSlowDown() throws IOException {
    EventJob job = EventJob.in(directory);
    job.send(0, 10_000);

    job.run().done();

    long[] times = new long[1_000];
    for (int batch = 0; batch < times.length; batch++) {
      Path entry = job.table().resolve("_delta_log").resolve("%020d.json".formatted(batch + 1));
      times[batch] = Files.getLastModifiedTime(entry).toMillis();
    }
    long[] between = new long[times.length];
    for (int batch = 1; batch < times.length; batch++) {
      between[batch] = times[batch] - times[batch - 1];
    }
    long early = median(between, 500, 600);
    long late = median(between, 900, 1_000);
    System.out.printf("batches 501-600: %d ms, 901-1,000: %d ms%n", early, late);
    assertThat(job.rows(), is(EventJob.events(0, 10_000)));
    assertThat((double) late / early, lessThanOrEqualTo(SLOWER_AT_MOST));
  }
}
