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
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.checkpoint.CheckpointView.Batch;
import dev.idem.io.checkpoint.CheckpointView.Holder;
import dev.idem.io.checkpoint.CheckpointView.State;
import dev.idem.io.file.FileOperation.Kind;
import dev.idem.io.file.FileRecorder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointViewTest {

  @TempDir Path root;

  @Test
  void viewShowsBatchesHolderAndSizesOfARunningJobWithoutTouchingThem() throws IOException {
    Path location = root.resolve("checkpoint");
    LeaseOwner owner = Batches.owner("a", "run");
    try (Checkpoint checkpoint =
        Checkpoint.open(
            location.toString(), Batches.APPLICATION, Batches.CLOCK, owner, Batches.watch())) {
      checkpoint.bind(Map.of("keys", "a"));
      for (long batch = 0; batch < 2; batch++) {
        Batches.run(checkpoint, batch);
      }
      Plan pending = Batches.plan(2, checkpoint.epoch(), 1);
      checkpoint.publishPlan(pending);
      checkpoint.lease().beat();
      checkpoint.staging().publish(2, "run", "[1]");
      Files.write(location.resolve("commits/0"), new byte[] {1});

      CheckpointView view;
      try (FileRecorder recorder = FileRecorder.under(location)) {
        view = CheckpointView.read(location.toString());
        assertThat(
            recorder.operations().stream()
                .allMatch(operation -> Set.of(Kind.READ, Kind.LIST).contains(operation.kind())),
            is(true));
      }

      Plan first = checkpoint.plan(0).orElseThrow();
      Plan second = checkpoint.plan(1).orElseThrow();
      assertThat(view.metadata(), is(Optional.of(checkpoint.metadata())));
      assertThat(
          view.batches(),
          is(
              List.of(
                  new Batch(
                      0,
                      State.DAMAGED,
                      Optional.of(first),
                      Optional.empty(),
                      List.of("commits/0: without a header line")),
                  new Batch(
                      1,
                      State.COMMITTED,
                      Optional.of(second),
                      Optional.of(Batches.commit(second)),
                      List.of()),
                  new Batch(2, State.PENDING, Optional.of(pending), Optional.empty(), List.of()))));
      assertThat(view.holder(), is(Optional.of(new Holder(1, owner, false, 1))));
      assertThat(view.sizes().get("staging"), is(3L));
      assertThat(view.sizes().get("commits"), is(1 + Files.size(location.resolve("commits/1"))));
    }
    assertThat(
        CheckpointView.read(location.toString()).holder().orElseThrow().released(), is(true));
  }

  @Test
  void damagedMetadataAndLeaseAreNamedAndTheRestIsSeen() throws IOException {
    Path location = root.resolve("checkpoint");
    try (Checkpoint checkpoint = open(location)) {
      Batches.run(checkpoint, 0);
    }
    Files.write(location.resolve("metadata"), new byte[] {1});
    Files.write(location.resolve("lease/1"), new byte[0]);

    CheckpointView view = CheckpointView.read(location.toString());

    assertThat(
        view.damage(),
        is(
            List.of(
                location.resolve("metadata") + ": without a header line",
                location.resolve("lease/1") + ": empty")));
    assertThat(view.metadata(), is(Optional.empty()));
    assertThat(view.holder(), is(Optional.empty()));
    assertThat(view.batches().stream().map(Batch::state).toList(), is(List.of(State.COMMITTED)));
  }

  @Test
  void damagedStartIsRefusedUntilABatchIsPlanned() throws IOException {
    Path location = root.resolve("checkpoint");
    try (Checkpoint checkpoint = open(location)) {
      Files.write(location.resolve("start"), new byte[0]);

      var e =
          assertThrows(
              DamagedEntryException.class,
              () -> CheckpointView.read(location.toString()).state(Batches.APPLICATION));

      assertThat(e.entry(), is(location.resolve("start").toString()));
      // It may say that batches of an earlier life are not to be counted again.
      assertThrows(
          DamagedEntryException.class,
          () -> checkpoint.publishPlan(Batches.plan(0, checkpoint.epoch(), 1)));
      Files.delete(location.resolve("start"));
      Batches.run(checkpoint, 0);
      Files.write(location.resolve("start"), new byte[0]);
    }
    assertThat(
        CheckpointView.read(location.toString()).state(Batches.APPLICATION).lastPlanned(),
        is(OptionalLong.of(0)));
  }

  @Test
  void absentCheckpointIsNoView() {
    String place = root.resolve("nothing").toString();

    var e = assertThrows(IllegalArgumentException.class, () -> CheckpointView.read(place));

    assertThat(
        e.getMessage(), startsWith("Checkpoint \"" + place + "\" must exist, but was: absent."));
    assertThat(Files.exists(Path.of(place)), is(false));
  }

  private static Checkpoint open(Path location) throws IOException {
    return Checkpoint.open(
        location.toString(),
        Batches.APPLICATION,
        Batches.CLOCK,
        Batches.owner("a", "run"),
        Batches.watch());
  }
}
