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

import static dev.idem.io.checkpoint.Batches.plan;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.MemoryDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointRepairTest {

  @TempDir(factory = MemoryDirectory.class)
  Path root;

  private Path location;

  @BeforeEach
  void locate() {
    location = root.resolve("checkpoint");
  }

  private Checkpoint open() throws IOException {
    return Checkpoint.open(
        location.toString(),
        Batches.APPLICATION,
        Batches.CLOCK,
        Batches.owner("a", "run"),
        Batches.watch());
  }

  private static Plan own(Checkpoint checkpoint, long batch) {
    return plan(batch, checkpoint.epoch(), checkpoint.lease().generation());
  }

  @Test
  void damagedCommitIsDroppedAndItsBatchIsPendingAgain() throws IOException {
    try (Checkpoint checkpoint = open()) {
      Batches.run(checkpoint, 0);
      Batches.run(checkpoint, 1);
    }
    Files.write(location.resolve("commits/1"), new byte[] {1, 2});

    try (Checkpoint again = open()) {
      assertThrows(DamagedEntryException.class, again::state);
      CheckpointDamage damage = again.damage().orElseThrow();
      assertThat(damage.kind(), is(CheckpointDamage.Kind.COMMIT));
      assertThat(damage.batch(), is(1L));
      assertThrows(IllegalArgumentException.class, () -> again.dropDamagedCommit(0));
      again.dropDamagedCommit(1);
      assertThat(again.state().pending(), is(again.plan(1)));
      again.publishCommit(Batches.commit(again.plan(1).orElseThrow()));
      assertThat(again.damage(), is(Optional.empty()));
    }
  }

  @Test
  void damagedOrVanishedPlanIsReplacedAndAWholeOneIsNot() throws IOException {
    Plan lost;
    try (Checkpoint checkpoint = open()) {
      Batches.run(checkpoint, 0);
      lost = checkpoint.plan(0).orElseThrow();
      assertThrows(IllegalArgumentException.class, () -> checkpoint.replacePlan(lost));
    }
    byte[] whole = Files.readAllBytes(location.resolve("offsets/0"));
    byte[] garbled = whole.clone();
    garbled[whole.length / 2]++;
    Files.write(location.resolve("offsets/0"), garbled);

    try (Checkpoint again = open()) {
      CheckpointDamage damage = again.damage().orElseThrow();
      assertThat(damage.kind(), is(CheckpointDamage.Kind.PLAN));
      assertThat(damage.batch(), is(0L));
      again.replacePlan(lost);
      assertThat(Files.readAllBytes(location.resolve("offsets/0")), is(whole));
      assertThat(Files.readAllBytes(location.resolve("offsets/0.damaged")), is(garbled));
      assertThat(again.damage(), is(Optional.empty()));
    }

    Files.delete(location.resolve("offsets/0"));
    try (Checkpoint again = open()) {
      assertThat(again.damage().orElseThrow().cause().reason(), is("gone"));
      again.replacePlan(lost);
      assertThat(again.state().lastPlanned(), is(OptionalLong.of(0)));
    }
  }

  @Test
  void planThatItsCommitDoesNotNameIsDamage() throws IOException {
    try (Checkpoint checkpoint = open()) {
      Batches.run(checkpoint, 0);
      Plan other = plan(0, checkpoint.epoch(), 1, Map.of("keys", "other"));
      Files.write(location.resolve("offsets/0"), EntryCodec.encode(other));

      assertThat(
          checkpoint.damage().orElseThrow().cause().reason(),
          is("another plan than its commit names"));
      Files.write(location.resolve("offsets/0"), EntryCodec.encode(plan(7, "e", 1)));
      assertThat(checkpoint.damage().orElseThrow().cause().reason(), is("the entry of batch 7"));
    }
  }

  @Test
  void checkpointMovedAsideBeginsANewLifeAndLosesNothing() throws IOException {
    try (Checkpoint checkpoint = open()) {
      checkpoint.bind(Map.of("keys", "a"));
      Batches.run(checkpoint, 0);
      String epoch = checkpoint.epoch();
      byte[] offsets = Files.readAllBytes(location.resolve("offsets/0"));
      byte[] metadata = Files.readAllBytes(location.resolve("metadata"));

      String aside = checkpoint.moveAside();

      assertThat(aside, is(location.resolve("aside-" + epoch).toString()));
      assertThat(Files.readAllBytes(Path.of(aside, "offsets/0")), is(offsets));
      assertThat(Files.readAllBytes(Path.of(aside, "metadata")), is(metadata));
      assertThat(DurableFiles.list(Path.of(aside, "commits")), contains("0"));
      assertThat(DurableFiles.list(Path.of(aside)).contains("bound"), is(true));
      assertThat(checkpoint.isNew(), is(true));
      assertThat(checkpoint.epoch(), is(not(epoch)));
      assertThat(checkpoint.metadata().bound(), is(Map.of()));
    }
  }

  @Test
  void restoredCheckpointGoesOnWithThePlanAsItWasAndAHigherLease() throws IOException {
    Plan lost = plan(41, "earlier-life", 17);
    try (Checkpoint checkpoint = open()) {
      checkpoint.restore(lost);

      assertThat(Files.readAllBytes(location.resolve("offsets/41")), is(EntryCodec.encode(lost)));
      assertThat(checkpoint.lease().generation(), is(18L));
      assertThat(checkpoint.state().pending(), is(Optional.of(lost)));
      checkpoint.publishCommit(Batches.commit(lost));
      checkpoint.publishPlan(own(checkpoint, 42));
      assertThrows(IllegalArgumentException.class, () -> checkpoint.restore(lost));
    }
    try (Checkpoint again = open()) {
      assertThat(again.lease().generation(), is(19L));
      assertThat(again.lastPlanned(), is(OptionalLong.of(42)));
    }
  }

  @Test
  void checkpointRestoredWithItsCommitGoesOnWithTheNextBatch() throws IOException {
    Plan lost = plan(41, "earlier-life", 0);
    try (Checkpoint checkpoint = open()) {
      checkpoint.restore(lost, Batches.commit(lost));

      assertThat(checkpoint.lastCommitted(), is(OptionalLong.of(41)));
      Batches.run(checkpoint, 42);
      assertThat(checkpoint.lastCommitted(), is(OptionalLong.of(42)));
    }
  }

  @Test
  void leftoversOfInterruptedPublicationsAreRemoved() throws IOException {
    open().close();
    Files.write(location.resolve("offsets/.0-x.tmp"), new byte[] {1});

    open().close();

    assertThat(DurableFiles.list(location.resolve("offsets")), is(List.of()));
  }
}
