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
package dev.idem.io.checkpoint;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.anyOf;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import dev.idem.io.file.FileRecorder;
import dev.idem.io.file.MemoryDirectory;
import dev.idem.io.file.SimulatedCrash;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job that dies at every step of two batches and of a move, killed or unplugged. */
class CheckpointPowerLossTest {

  private enum Death {
    KILLED,
    UNPLUGGED
  }

  @TempDir(factory = MemoryDirectory.class)
  Path root;

  /** What the job was told is done, before it died. */
  private static final class Progress {
    private @Nullable Checkpoint checkpoint;
    private @Nullable Plan plan;
    private @Nullable BatchCommit commit;
    private @Nullable Plan attempted;
    private boolean bound;
  }

  private static Checkpoint open(Path location) throws IOException {
    return Checkpoint.open(
        location.toString(),
        Batches.APPLICATION,
        Batches.CLOCK,
        Batches.owner("a", "run"),
        Batches.watch());
  }

  private static void work(Path location, Progress progress) throws IOException {
    try (Checkpoint checkpoint = open(location)) {
      progress.checkpoint = checkpoint;
      checkpoint.bind(Map.of("keys", "a"));
      progress.bound = true;
      for (long batch = 0; batch < 2; batch++) {
        Plan plan = Batches.plan(batch, checkpoint.epoch(), checkpoint.lease().generation());
        progress.attempted = plan;
        checkpoint.publishPlan(plan);
        progress.plan = plan;
        checkpoint.publishCommit(Batches.commit(plan));
        progress.commit = Batches.commit(plan);
      }
    }
  }

  @Test
  void deathAtAnyStepKeepsWhatWasPublishedAndTearsNothing() throws IOException {
    for (Death death : Death.values()) {
      int steps = 0;
      for (boolean ended = false; !ended; steps++) {
        Path location = root.resolve(death + "-" + steps).resolve("checkpoint");
        Files.createDirectories(location.getParent());
        Progress progress = new Progress();
        try (FileRecorder recorder = FileRecorder.under(location.getParent()).crashAfter(steps)) {
          ended = !dies(() -> work(location, progress));
          revive(recorder, death, progress);
        }
        assertIntact(location, progress);
      }
      assertThat(steps, greaterThan(60));
    }
  }

  /** The next job finds everything the first was told, and goes on. */
  private static void assertIntact(Path location, Progress before) throws IOException {
    try (Checkpoint again = open(location)) {
      assertThat(again.damage(), is(Optional.empty()));
      long planned = again.lastPlanned().orElse(-1);
      long committed = again.lastCommitted().orElse(-1);
      long told = before.plan == null ? -1 : before.plan.batch();
      long done = before.commit == null ? -1 : before.commit.batch();
      assertThat(planned, anyOf(is(told), is(told + 1)));
      assertThat(committed, anyOf(is(done), is(done + 1)));
      if (planned >= 0) {
        Plan plan = planned == told ? before.plan : before.attempted;
        assertThat(again.plan(planned), is(Optional.ofNullable(plan)));
      }
      if (done >= 0) {
        assertThat(again.commit(done), is(Optional.ofNullable(before.commit)));
      }
      if (before.bound) {
        assertThat(again.metadata().bound(), is(Map.of("keys", "a")));
      }
      if (planned > committed) {
        again.publishCommit(Batches.commit(again.plan(planned).orElseThrow()));
      }
      Batches.run(again, planned + 1);
    }
  }

  @Test
  void entryFoundAfterAKillSurvivesAPowerLossBeforeTheNextEntry() throws IOException {
    Path location = root.resolve("checkpoint");
    open(location).close();
    Progress progress = new Progress();
    String link = "LINK checkpoint/offsets/0 checkpoint/offsets/tmp";

    try (FileRecorder machine = FileRecorder.under(root)) {
      machine.crashAtLine(link);
      assertThat(dies(() -> work(location, progress)), is(true));
      progress.checkpoint.lease().abandon();
      machine.restartProcess();
      Checkpoint found = open(location);
      assertThat(found.plan(0), is(Optional.ofNullable(progress.attempted)));
      found.lease().abandon();
      machine.losePower();
    }

    try (Checkpoint again = open(location)) {
      assertThat(again.plan(0), is(Optional.ofNullable(progress.attempted)));
    }
  }

  @Test
  void deathWhileMovingAsideLosesNothing() throws IOException {
    Path before = root.resolve("before");
    work(before, new Progress());
    byte[] plan = Files.readAllBytes(before.resolve("offsets/1"));
    for (Death death : Death.values()) {
      int steps = 0;
      for (boolean ended = false; !ended; steps++) {
        Path location = root.resolve(death + "-move-" + steps).resolve("checkpoint");
        copy(before, location);
        Progress progress = new Progress();
        String epoch;
        try (Checkpoint checkpoint = open(location);
            FileRecorder recorder = FileRecorder.under(location.getParent()).crashAfter(steps)) {
          epoch = checkpoint.epoch();
          progress.checkpoint = checkpoint;
          ended = !dies(checkpoint::moveAside);
          revive(recorder, death, progress);
        }
        try (Checkpoint again = open(location)) {
          Path aside = location.resolve("aside-" + epoch);
          boolean moved = Files.exists(aside);
          Path kept = (moved ? aside : location).resolve("offsets/1");
          assertThat(Files.readAllBytes(kept), is(plan));
          assertThat(again.isNew(), is(moved));
          assertThat(again.epoch().equals(epoch), is(!moved));
          assertThat(Files.exists(location.resolve("moving")), is(false));
        }
      }
      assertThat(steps, greaterThan(20));
    }
  }

  @Test
  void dataCommitAndLeaseAreForcedInThisOrder() throws IOException {
    Path location = root.resolve("checkpoint");
    List<String> lines;
    try (Checkpoint checkpoint = open(location);
        FileRecorder recorder = FileRecorder.under(location)) {
      Batches.run(checkpoint, 0);
      lines = new ArrayList<>(recorder.lines());
    }

    assertThat(
        lines,
        is(
            List.of(
                "LIST lease",
                "READ lease/1",
                "OPEN offsets/tmp",
                "WRITE offsets/tmp",
                "FORCE_FILE offsets/tmp",
                "LINK offsets/0 offsets/tmp",
                "FORCE_DIRECTORY offsets",
                "DELETE offsets/tmp",
                "READ offsets/0",
                "LIST lease",
                "READ lease/1",
                "OPEN commits/tmp",
                "WRITE commits/tmp",
                "FORCE_FILE commits/tmp",
                "LINK commits/0 commits/tmp",
                "FORCE_DIRECTORY commits",
                "DELETE commits/tmp")));
  }

  private static void revive(FileRecorder recorder, Death death, Progress progress)
      throws IOException {
    if (progress.checkpoint != null) {
      progress.checkpoint.lease().abandon();
    }
    if (death == Death.UNPLUGGED) {
      recorder.losePower();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to.getParent());
    try (Stream<Path> all = Files.walk(from)) {
      for (Path path : all.toList()) {
        Files.copy(path, to.resolve(from.relativize(path)));
      }
    }
  }

  private static boolean dies(Work work) throws IOException {
    try {
      work.run();
      return false;
    } catch (SimulatedCrash e) {
      return true;
    }
  }

  @FunctionalInterface
  private interface Work {
    void run() throws IOException;
  }
}
