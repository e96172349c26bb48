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
package dev.idem.pipelines.job;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.closeTo;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.endsWith;
import static org.hamcrest.Matchers.hasItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;

import dev.idem.io.checkpoint.BatchCommit;
import dev.idem.io.checkpoint.Checkpoint;
import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.checkpoint.Staging;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.testing.Covers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobStartTest {

  private static final String ALL =
      "  schema: {\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"long\",\"nullable\":false,"
          + "\"metadata\":{}}]}";

  @TempDir Path root;

  private final Numbers numbers = new Numbers();

  @Test
  void targetWithoutRecordsGetsAPendingBatchAgainThoughItsDeadLettersHaveIt() throws IOException {
    Job job = job(target().writeAtLeastOnce());
    numbers.holding(3);
    run(job);
    // As after a crash before commits/0: nobody can tell whether the table has the batch.
    Files.delete(checkpoint().resolve("commits/0"));

    Said said = run(job);

    assertThat(said.err(), is(""));
    assertThat(Numbers.in(root.resolve("numbers")), is(List.of(0L, 0L, 1L, 1L, 2L, 2L)));
  }

  @Test
  void targetWithRecordsDoesNotAndNothingOfTheBatchStaysStaged() throws IOException {
    Job job = job(target());
    numbers.holding(3);
    run(job);
    Files.delete(checkpoint().resolve("commits/0"));

    Staging staging = new Staging(checkpoint().toString());
    staging.publish(0, "run", "{}");

    Said said = run(job);

    assertThat(said.err(), is(""));
    assertThat(Numbers.in(root.resolve("numbers")), is(List.of(0L, 1L, 2L)));
    assertThat(staging.read(0, "run").isPresent(), is(false));
  }

  @Test
  @Covers.Row(54)
  void batchSaysWhatPartOfItsTimeWentIntoCommitting() throws IOException {
    numbers.holding(3);

    Said said = run(job(target()));

    BatchCommit commit =
        CheckpointView.read(checkpoint().toString()).batches().get(0).commit().orElseThrow();
    Map<String, Duration> durations = commit.durations();
    assertThat(durations.keySet(), is(Set.of("stage", "verdict", "apply")));
    double whole = durations.values().stream().mapToLong(Duration::toMillis).sum();
    double share = durations.get("apply").toMillis() / whole;
    // The entry keeps whole milliseconds.
    assertThat(commit.commitShare(), is(closeTo(share, 3 / whole)));
    assertThat(
        said.out(), hasItem(endsWith("committing %.0f%%".formatted(100 * commit.commitShare()))));
  }

  @Test
  void dryRunOfTheFirstBatchCreatesNothing() throws IOException {
    numbers.holding(3);

    Said said = run(job(target()), "--dryRun", "--maxRecordsPerBatch=2");

    assertThat(
        said,
        is(
            new Said(
                0,
                List.of(
                    "dry run: nothing is written, and no lease is taken",
                    "application id: numbers",
                    "checkpoint: absent; it would be created",
                    "target dead-letters: absent; it would be created",
                    "target numbers: absent; it would be created",
                    "batch 0 would be planned",
                    "  numbers-0: offsets 0 to 2, 2 records at most",
                    "  watermark: none",
                    ALL),
                "")));
    assertThat(files(), is(Map.of()));
  }

  @Test
  void dryRunOfTheNextBatchTouchesNothingThoughAJobHoldsTheCheckpoint() throws IOException {
    Job job = job(target());
    numbers.holding(3);
    run(job);
    numbers.holding(7);
    try (Checkpoint held = Checkpoint.open(checkpoint().toString(), "numbers", Clock.systemUTC())) {
      Map<String, Instant> before = files();

      Said said = run(job, "--dryRun");

      assertThat(said.err(), is(""));
      assertThat(
          said.out().subList(2, said.out().size()),
          is(
              List.of(
                  "checkpoint: last planned batch 0, last committed 0",
                  "lease: held by " + held.lease().owner() + "; while it lives a start is refused",
                  "target dead-letters: holds batch 0",
                  "target numbers: holds batch 0",
                  "batch 1 would be planned",
                  "  numbers-0: offsets 3 to 7, 4 records at most",
                  "  watermark: none",
                  ALL)));
      assertThat(files(), is(before));
    }
  }

  @Test
  void dryRunSaysWhatAStartWouldDoWithAPendingBatch() throws IOException {
    Job job = job(target());
    numbers.holding(3);
    run(job);
    Files.delete(checkpoint().resolve("commits/0"));
    Map<String, Instant> before = files();

    Said said = run(job, "--dryRun");

    assertThat(
        said.out().get(said.out().size() - 1),
        is("batch 0 is in every target and would be entered as done"));
    assertThat(files(), is(before));
  }

  @Test
  void dryRunRefusesWhatAStartRefuses() throws IOException {
    numbers.holding(3);
    run(job(target()));

    Said other = run(Job.named("other").from(numbers).into(target()), "--dryRun");
    Said lost =
        run(job(DeltaTarget.at("numbers", root.resolve("elsewhere").toString())), "--dryRun");
    Files.writeString(checkpoint().resolve("commits/0"), "?");
    Said damaged = run(job(target()), "--dryRun");

    assertThat(other.exit(), is(Job.REFUSED));
    assertThat(other.err(), startsWith("idem: Application id of checkpoint "));
    assertThat(lost.exit(), is(Job.REFUSED));
    assertThat(lost.err(), containsString("numbers"));
    assertThat(damaged.exit(), is(Job.REFUSED));
    assertThat(damaged.err(), containsString(checkpoint().resolve("commits/0").toString()));
  }

  @Test
  void dryRunSaysThatThereIsNothingToRead() {
    assertThat(
        run(job(target()), "--dryRun").out().get(5),
        is("there is nothing to read: no batch would be planned"));
  }

  @Test
  void latestIsWhatTheFirstStartFoundForLaterOnesToo() {
    Job job = job(target());
    numbers.fromLatest().holding(3);

    assertThat(run(job).err(), is(""));
    assertThat(
        run(job, "--dryRun").out(), hasItem("there is nothing to read: no batch would be planned"));
    numbers.holding(5);
    assertThat(
        run(job, "--dryRun").out(), hasItem("  numbers-0: offsets 3 to 5, 2 records at most"));
    assertThat(run(job).err(), is(""));
    numbers.holding(6);
    assertThat(run(job).err(), is(""));

    assertThat(Numbers.in(root.resolve("numbers")), is(List.of(3L, 4L, 5L)));
  }

  @Test
  void latestIsWhatTheFirstLookFoundForLaterOnesToo() {
    AtomicInteger looks = new AtomicInteger();
    numbers
        .fromLatest()
        .holding(3)
        .whenAsked(
            () -> {
              switch (looks.incrementAndGet()) {
                case 4 -> numbers.holding(5);
                case 8 -> numbers.holding(6);
                case 12 -> throw new IllegalStateException("enough");
                default -> {}
              }
            });

    Said said = run(job(target()), "--trigger=1ms");

    assertThat(said.err(), startsWith("idem: enough"));
    assertThat(Numbers.in(root.resolve("numbers")), is(List.of(3L, 4L, 5L)));
  }

  private Job job(DeltaTarget target) {
    return Job.named("numbers").from(numbers).into(target);
  }

  private DeltaTarget target() {
    return DeltaTarget.at("numbers", root.resolve("numbers").toString());
  }

  private Path checkpoint() {
    return root.resolve("checkpoint");
  }

  private Said run(Job job, String... more) {
    return Said.by(job, checkpoint(), more);
  }

  /** Returns every file with the time at which it was last written. */
  private Map<String, Instant> files() throws IOException {
    Map<String, Instant> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.filter(Files::isRegularFile).toList()) {
        if (!file.getFileName().toString().endsWith(".beat")) {
          files.put(root.relativize(file).toString(), Files.getLastModifiedTime(file).toInstant());
        }
      }
    }
    return files;
  }
}
