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

import static dev.idem.io.delta.merge.Merging.delete;
import static dev.idem.io.delta.merge.Merging.foreign;
import static dev.idem.io.delta.merge.Merging.upsert;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Merges beside somebody who appends a row of the same keys four times a second. */
class MergeBesideAppenderTest {

  private static final int KEYS = 5;
  private static final int BATCHES = 4;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void everyMergeEndsAndTheLastOneLeavesOneRowAKey(MergeMode mode) throws Exception {
    Merging table = Merging.into(directory.resolve("t"), Merging.rules()).with(mode);
    table.run(0, List.of(upsert(0, "first", 1)));
    AtomicLong appended = new AtomicLong();
    ScheduledExecutorService appender = Executors.newSingleThreadScheduledExecutor();
    ScheduledFuture<?> appending =
        appender.scheduleAtFixedRate(() -> append(table, appended), 0, 250, TimeUnit.MILLISECONDS);
    for (int batch = 1; batch <= BATCHES; batch++) {
      List<Row> changes = new ArrayList<>();
      for (long id = 0; id < KEYS; id++) {
        changes.add(id == batch ? delete(id, batch) : upsert(id, "v" + batch, batch));
      }
      table.run(batch, changes);
    }
    assertThat("nothing went wrong with it", appending.isDone(), is(false));
    appender.shutdown();
    assertThat(appender.awaitTermination(1, TimeUnit.MINUTES), is(true));
    assertThat(appended.get(), greaterThan((long) BATCHES));
    List<Row> stale = new ArrayList<>();
    for (long id = 0; id < KEYS; id++) {
      stale.add(upsert(id, "stale", 0));
    }

    MergeOutcome last = table.run(BATCHES + 1, stale);

    assertThat(last.counts().upserted(), is(0L));
    assertThat(
        table.rows(),
        contains("[0, v4, null, 4]", "[1, v4, null, 4]", "[2, v4, null, 4]", "[3, v4, null, 4]"));
  }

  private static void append(Merging table, AtomicLong appended) {
    try {
      table.append(foreign(appended.getAndIncrement() % KEYS, "foreign"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
