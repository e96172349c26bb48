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
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileOperation;
import dev.idem.io.file.FileRecorder;
import dev.idem.io.file.MemoryDirectory;
import dev.idem.testing.Covers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointTest {

  @TempDir(factory = MemoryDirectory.class)
  Path root;

  private Path location;

  @BeforeEach
  void locate() {
    location = root.resolve("checkpoint");
  }

  private Checkpoint open() throws IOException {
    return open(Batches.APPLICATION);
  }

  private Checkpoint open(String applicationId) throws IOException {
    return Checkpoint.open(
        location.toString(),
        applicationId,
        Batches.CLOCK,
        Batches.owner("a", "run"),
        Batches.watch());
  }

  private static Plan own(Checkpoint checkpoint, long batch) {
    return plan(batch, checkpoint.epoch(), checkpoint.lease().generation());
  }

  @Test
  void newCheckpointHoldsNothingAndKeepsItsEpoch() throws IOException {
    CheckpointMetadata metadata;
    try (Checkpoint checkpoint = open()) {
      metadata = checkpoint.metadata();
      assertThat(checkpoint.isNew(), is(true));
      assertThat(
          checkpoint.state(),
          is(
              new CheckpointState(
                  "orders",
                  checkpoint.epoch(),
                  OptionalLong.empty(),
                  OptionalLong.empty(),
                  Optional.empty(),
                  Optional.empty())));
    }

    try (Checkpoint again = open()) {
      assertThat(again.metadata(), is(metadata));
    }
    assertThat(
        metadata, is(new CheckpointMetadata(1, "orders", metadata.epoch(), Batches.NOW, Map.of())));
  }

  @Test
  void pendingBatchIsThereAfterARestartWithTheSamePlan() throws IOException {
    Plan pending;
    try (Checkpoint checkpoint = open()) {
      Batches.run(checkpoint, 0);
      pending = own(checkpoint, 1);
      checkpoint.publishPlan(pending);
    }

    try (Checkpoint again = open()) {
      CheckpointState state = again.state();
      assertThat(state.lastPlanned(), is(OptionalLong.of(1)));
      assertThat(state.lastCommitted(), is(OptionalLong.of(0)));
      assertThat(state.pending(), is(Optional.of(pending)));
      assertThat(state.committedFingerprint(), is(again.plan(0).map(Plan::fingerprint)));
      assertThat(again.commit(0), is(Optional.of(Batches.commit(again.plan(0).orElseThrow()))));
      assertThat(again.commit(1), is(Optional.empty()));
    }
  }

  @Test
  void startIsThereAfterARestartOnceAndGoesWithItsLife() throws IOException {
    Plan start;
    try (Checkpoint checkpoint = open()) {
      assertThat(checkpoint.start(), is(Optional.empty()));
      start = own(checkpoint, -1);
      checkpoint.publishStart(start);
      assertThrows(EntryExistsException.class, () -> checkpoint.publishStart(start));
      assertThat(checkpoint.isNew(), is(true));
    }

    assertThat(CheckpointView.read(location.toString()).start(), is(Optional.of(start)));
    try (Checkpoint again = open()) {
      assertThat(again.start(), is(Optional.of(start)));
      Batches.run(again, 0);
      var late = assertThrows(IllegalArgumentException.class, () -> again.publishStart(start));
      assertThat(
          late.getMessage(), startsWith("Start must be published before batch 0, but was: at"));
      again.moveAside();
      assertThat(again.start(), is(Optional.empty()));
    }
  }

  @Test
  void committedBatchIsNotPendingAfterARestart() throws IOException {
    try (Checkpoint checkpoint = open()) {
      Batches.run(checkpoint, 0);
    }

    try (Checkpoint again = open()) {
      assertThat(again.state().pending(), is(Optional.empty()));
      assertThat(again.lastCommitted(), is(OptionalLong.of(0)));
      again.publishPlan(own(again, 1));
      assertThat(again.lastPlanned(), is(OptionalLong.of(1)));
    }
  }

  @Test
  void batchesFollowEachOther() throws IOException {
    try (Checkpoint checkpoint = open()) {
      refuse(checkpoint, 1, "Plan must be of batch 0, but was: 1.");
      Plan first = own(checkpoint, 0);
      checkpoint.publishPlan(first);
      refuse(checkpoint, 0, "Plan must be of batch 1, but was: 0.");
      refuse(checkpoint, 1, "Plan must follow a committed batch, but was: batch 0 still pending.");
      checkpoint.publishCommit(Batches.commit(first));
      var twice =
          assertThrows(
              IllegalArgumentException.class,
              () -> checkpoint.publishCommit(Batches.commit(first)));
      assertThat(twice.getMessage(), startsWith("Commit must be of the pending batch"));
      refuse(checkpoint, 2, "Plan must be of batch 1, but was: 2.");
    }
  }

  private static void refuse(Checkpoint checkpoint, long batch, String message) {
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> checkpoint.publishPlan(own(checkpoint, batch)));
    assertThat(e.getMessage(), startsWith(message));
  }

  @Test
  void entriesOfAnotherLifeLeaseApplicationOrPlanAreRefused() throws IOException {
    try (Checkpoint checkpoint = open()) {
      String epoch = checkpoint.epoch();
      assertThrows(
          IllegalArgumentException.class, () -> checkpoint.publishPlan(plan(0, "other", 1)));
      assertThrows(IllegalArgumentException.class, () -> checkpoint.publishPlan(plan(0, epoch, 9)));
      checkpoint.publishPlan(plan(0, epoch, 1));
      BatchCommit other = Batches.commit(plan(0, epoch, 1, Map.of("keys", "x")));
      var e = assertThrows(IllegalArgumentException.class, () -> checkpoint.publishCommit(other));
      assertThat(e.getMessage(), startsWith("Commit must name the plan with fingerprint"));
      assertThat(checkpoint.lastCommitted(), is(OptionalLong.empty()));
    }
  }

  @Test
  void entryOfSomebodyElseIsNotOverwritten() throws IOException {
    try (Checkpoint checkpoint = open()) {
      byte[] foreign = EntryCodec.encode(plan(0, checkpoint.epoch(), 77));
      DurableFiles.putIfAbsent(location.resolve("offsets/0"), foreign);

      var e =
          assertThrows(
              EntryExistsException.class, () -> checkpoint.publishPlan(own(checkpoint, 0)));

      assertThat(e.entry(), is(location.resolve("offsets/0").toString()));
      assertThat(Files.readAllBytes(location.resolve("offsets/0")), is(foreign));
    }
  }

  @Test
  void otherApplicationIdIsRefusedAndTheLeaseIsFreeAgain() throws IOException {
    open().close();

    var e = assertThrows(OtherApplicationException.class, () -> open("payments"));

    assertThat(e.stored(), is("orders"));
    assertThat(e.given(), is("payments"));
    assertThat(e.getMessage(), containsString("must be \"orders\", but was: \"payments\"."));
    open().close();
  }

  @Covers.Row(50)
  @Test
  void placesWithoutSafePublicationAreRefusedByName() {
    for (String place : List.of("s3://bucket/c", "wasb://c@h/c", "ftp://h/c")) {
      var e =
          assertThrows(
              IllegalArgumentException.class,
              () -> Checkpoint.open(place, "orders", Batches.CLOCK));
      assertThat(
          e.getMessage(), startsWith("Checkpoint must be a local path or a file: URI, or a"));
      assertThat(e.getMessage(), containsString(", but was: \"" + place + "\"."));
      assertThrows(IllegalArgumentException.class, () -> new Staging(place));
      assertThrows(IllegalArgumentException.class, () -> CheckpointView.read(place));
    }
  }

  @Test
  void boundOptionsMayNeverChangeAppearOrDisappear() throws IOException {
    Map<String, String> first = Map.of("keys", "a,b", "format", "json");
    try (Checkpoint checkpoint = open()) {
      checkpoint.bind(first);
    }

    try (Checkpoint again = open()) {
      again.bind(first);
      assertThat(again.metadata().bound(), is(first));
      var changed = bind(again, Map.of("keys", "a", "format", "json"));
      assertThat(changed.option(), is("keys"));
      assertThat(changed.stored(), is(Optional.of("a,b")));
      assertThat(changed.given(), is(Optional.of("a")));
      assertThat(
          changed.getMessage(),
          is(
              "Option --keys must be \"a,b\" as at the first start of checkpoint \""
                  + location
                  + "\", but was: \"a\". Give the first value, or start anew with another"
                  + " --applicationId and another --checkpoint."));
      assertThat(bind(again, Map.of("format", "json")).given(), is(Optional.empty()));
      var added = bind(again, Map.of("keys", "a,b", "format", "json", "eventTime", "ts"));
      assertThat(added.option(), is("eventTime"));
      assertThat(added.stored(), is(Optional.empty()));
    }
  }

  private static BoundOptionException bind(Checkpoint checkpoint, Map<String, String> options) {
    return assertThrows(BoundOptionException.class, () -> checkpoint.bind(options));
  }

  @Test
  void lastHundredEntriesAreKept() throws IOException {
    try (Checkpoint checkpoint = open()) {
      for (long batch = 0; batch < 120; batch++) {
        Batches.run(checkpoint, batch);
      }
      checkpoint.publishPlan(own(checkpoint, 120));

      assertThat(numbers("offsets"), is(LongStream.rangeClosed(20, 120).boxed().toList()));
      assertThat(numbers("commits"), is(LongStream.rangeClosed(20, 119).boxed().toList()));
    }
  }

  private List<Long> numbers(String directory) throws IOException {
    return DurableFiles.list(location.resolve(directory)).stream()
        .map(Long::parseLong)
        .sorted()
        .toList();
  }

  @Test
  void startCostsTheSameAfterAnyNumberOfBatches() throws IOException {
    try (Checkpoint checkpoint = open()) {
      runTo(checkpoint, 10);
    }
    List<FileOperation> afterTen = start();
    try (Checkpoint checkpoint = open()) {
      runTo(checkpoint, 250);
    }
    List<FileOperation> afterMany = start();
    locateAnew();
    try (Checkpoint checkpoint = open()) {
      checkpoint.restore(plan(9_849, checkpoint.epoch(), 0));
      checkpoint.publishCommit(Batches.commit(checkpoint.plan(9_849).orElseThrow()));
      runTo(checkpoint, 10_000);
    }
    List<FileOperation> afterTenThousand = start();

    assertThat(kinds(afterMany), is(kinds(afterTen)));
    assertThat(kinds(afterTenThousand), is(kinds(afterTen)));
    assertThat(numbers("offsets"), is(LongStream.range(9_900, 10_000).boxed().toList()));
    assertThat(numbers("commits"), is(LongStream.range(9_900, 10_000).boxed().toList()));
  }

  private void locateAnew() {
    location = root.resolve("another").resolve(root.getFileName()).resolve("checkpoint");
  }

  /** Finishes batches until so many are done in all. */
  private static void runTo(Checkpoint checkpoint, long batches) throws IOException {
    for (long next = checkpoint.lastCommitted().orElse(-1) + 1; next < batches; next++) {
      Batches.run(checkpoint, next);
    }
  }

  /** All that a start does: opening, agreeing, and the plan that the next one follows. */
  private List<FileOperation> start() throws IOException {
    try (FileRecorder recorder = FileRecorder.under(location)) {
      try (Checkpoint checkpoint = open()) {
        CheckpointState state = checkpoint.state();
        assertThat(checkpoint.plan(state.lastPlanned().orElseThrow()).isPresent(), is(true));
      }
      return recorder.operations();
    }
  }

  private static List<String> kinds(List<FileOperation> operations) {
    return operations.stream()
        .map(operation -> operation.kind() + " " + operation.path().getParent().getFileName())
        .toList();
  }

  @Test
  void pendingPlanIsReplacedOnDemandAndACommittedOneIsNot() throws IOException {
    try (Checkpoint checkpoint = open()) {
      checkpoint.publishPlan(own(checkpoint, 0));
      Plan anew = plan(0, checkpoint.epoch(), 1, Map.of("keys", "other"));
      checkpoint.replan(anew);
      assertThat(checkpoint.plan(0), is(Optional.of(anew)));
      checkpoint.publishCommit(Batches.commit(anew));
      assertThrows(IllegalArgumentException.class, () -> checkpoint.replan(anew));
    }
  }
}
