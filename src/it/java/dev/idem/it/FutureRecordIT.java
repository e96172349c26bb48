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
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.is;

import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobInProcess;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.testing.Covers.Case;
import dev.idem.testing.Covers.Row;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A record that is stamped ahead of the clock goes on, and takes nobody with it. */
class FutureRecordIT {

  private static final Instant TEN = Instant.parse("2026-01-10T10:00:00Z");

  @TempDir Path directory;
  private EventJob events;

  private void send(String id, Instant at) {
    events.sendValue("{\"id\":\"%s\",\"at\":\"%s\"}".formatted(id, at));
  }

  private List<CheckpointView.Batch> run() throws IOException {
    Job job =
        Job.named("future")
            .from(
                KafkaSource.topics(KafkaConfig.of(events.broker.bootstrapServers()), events.topic)
                    .withEventTime("at"))
            .through((batch, rows) -> rows.apply(batch.deduplicateBy("id")))
            .into(DeltaTarget.at("table", events.table().toString()));
    JobInProcess.run(
            job,
            "future",
            Clock.fixed(TEN.plus(Duration.ofMinutes(12)), ZoneOffset.UTC),
            "--checkpoint=" + events.checkpoint(),
            "--watermarkDelay=1m",
            "--maxFutureSkew=5m")
        .done();
    return events.view().batches();
  }

  @Test
  @Case("DEV-03")
  @Row(69)
  void recordFromTheFutureDoesNotMakeHonestOnesLate() throws IOException {
    events = EventJob.in(directory);
    send("h00", TEN);
    run();
    send("bad1", TEN.plus(Duration.ofDays(1)));
    run();
    IntStream.rangeClosed(1, 10)
        .forEach(i -> send("h%02d".formatted(i), TEN.plus(Duration.ofMinutes(i + 1))));

    List<CheckpointView.Batch> batches = run();

    List<Instant> watermarks =
        batches.stream()
            .map(each -> each.commit().orElseThrow().summary().watermark().orElseThrow())
            .toList();
    assertThat(
        watermarks,
        contains(
            TEN.minus(Duration.ofMinutes(1)),
            TEN.minus(Duration.ofMinutes(1)),
            TEN.plus(Duration.ofMinutes(10))));
    assertThat(
        DeltaRows.read(events.table().toString()).select("id").toList().stream()
            .map(row -> row.getString("id"))
            .sorted()
            .toList(),
        contains(
            "bad1", "h00", "h01", "h02", "h03", "h04", "h05", "h06", "h07", "h08", "h09", "h10"));
    for (int batch = 0; batch < 3; batch++) {
      assertThat(events.count(batch, "late"), is(0L));
      assertThat(events.count(batch, "future"), is(batch == 1 ? 1L : 0L));
    }
    assertThat(events.deadLetterRows(), is(List.of()));
  }

  @Test
  void oneBatchOfAllIsNoDifferent() throws IOException {
    events = EventJob.in(directory);
    send("h00", TEN);
    send("bad1", TEN.plus(Duration.ofDays(1)));
    IntStream.rangeClosed(1, 10)
        .forEach(i -> send("h%02d".formatted(i), TEN.plus(Duration.ofMinutes(i + 1))));

    run();

    assertThat(events.count(0, "rows"), is(12L));
    assertThat(events.count(0, "late"), is(0L));
    assertThat(events.count(0, "future"), is(1L));
  }
}
