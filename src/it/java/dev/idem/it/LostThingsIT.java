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
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.idem.testing.Covers.Row;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever a job loses while it is down, it refuses to go on over it and says what helps. */
class LostThingsIT {

  @TempDir Path directory;
  private EventJob job;

  @BeforeEach
  void threeBatchesAreDone() {
    job = EventJob.in(directory);
    job.send(0, 30);
    job.run().done();
    assertThat(job.batches(), contains("0:COMMITTED", "1:COMMITTED", "2:COMMITTED"));
    assertThat(job.rows(), is(EventJob.events(0, 30)));
  }

  @Test
  @Row({43, 49, 53})
  void deletedCheckpointIsRefused() throws IOException {
    job.send(30, 40);
    Map<String, Long> versions = job.versions();
    Listing.delete(job.checkpoint());

    job.run().refused("checkpoint was lost", "target at batch 2", "--onLostCheckpoint=resume");

    assertThat(job.versions(), is(versions));
    assertThat(job.rows(), is(EventJob.events(0, 30)));
  }

  @Test
  void checkpointAtAnotherPlaceIsRefusedWithoutAnApplicationId() {
    job.send(30, 40);

    job.run("--checkpoint=" + directory.resolve("elsewhere"))
        .refused("checkpoint was lost", "Give the --checkpoint that wrote it");

    assertThat(job.rows(), is(EventJob.events(0, 30)));
    job.run().done();
    assertThat(job.rows(), is(EventJob.events(0, 40)));
  }

  @Test
  @Row(51)
  void emptyCheckpointOnATableOfAnotherIdIsRefusedByThatId() throws IOException {
    EventJob named = EventJob.in(Files.createDirectory(directory.resolve("named")));
    named.send(0, 5);
    named.run("--applicationId=orders-of-ours").done();

    named
        .run("--checkpoint=" + directory.resolve("elsewhere"))
        .refused("orders-of-ours", "--applicationId");
    named.run("--checkpoint=" + directory.resolve("second"), "--applicationId=a-second-job").done();

    assertThat(
        named.rows(),
        contains(
            "e0=0", "e0=0", "e1=10", "e1=10", "e2=20", "e2=20", "e3=30", "e3=30", "e4=40",
            "e4=40"));
  }

  @Test
  @Row({41, 66})
  void oldCopyOfTheCheckpointIsRefused() throws IOException {
    Path copy = directory.resolve("copy");
    Listing.copy(job.checkpoint(), copy);
    job.send(30, 130);
    job.run().done();
    Listing.delete(job.checkpoint());
    Files.move(copy, job.checkpoint());
    job.send(130, 140);

    job.run()
        .refused(
            "an old copy",
            "target at batch 12",
            "checkpoint at batch 2",
            "--onLostCheckpoint=resume");

    assertThat(job.rows(), is(EventJob.events(0, 130)));
    job.run("--onLostCheckpoint=resume").done();
    assertThat(job.rows(), is(EventJob.events(0, 140)));
  }

  @Test
  void deletedTableIsRefused() throws IOException {
    Listing.delete(job.table());
    job.send(30, 40);

    job.run().refused("\"table\"", "absent", "--onLostTarget=continue");

    assertThat(Files.exists(job.table()), is(false));
  }

  @Test
  void deletedMemoryIsRefused() throws IOException {
    Listing.delete(job.memory());
    job.send(20, 40);

    job.run().refused("\"memory\"", "absent", "--onLostTarget=continue");

    assertThat(job.rows(), is(EventJob.events(0, 30)));
  }

  @Test
  void jobGoesOnWithoutItsMemoryByWish() throws IOException {
    Listing.delete(job.memory());
    job.send(20, 40);

    Outcome outcome = job.run("--onLostTarget=continue").done();

    assertThat(outcome.out(), containsString("batches that memory lacks: 3"));
    assertThat(job.rows().stream().distinct().toList(), is(EventJob.events(0, 40)));
    assertThat(job.rows().size(), is(50));
    job.send(30, 50);
    job.run().done();
    assertThat(job.rows().size(), is(60));
  }

  @Test
  void tableThatLostBatchesIsWrittenOnAndTheyAreCounted() throws IOException {
    Listing.delete(job.table());
    job.send(30, 40);

    Outcome outcome = job.run("--onLostTarget=continue").done();

    assertThat(outcome.out(), containsString("batches that table lacks: 3"));
    assertThat(job.rows(), is(EventJob.events(30, 40)));
    assertThat(
        job.view().batches().get(3).commit().orElseThrow().notes(),
        is(Map.of("batches that table lacks", "3")));
    job.send(40, 45);
    job.run().done();
    assertThat(job.rows(), is(EventJob.events(30, 45)));
  }

  @Test
  void restoredTableIsRefused() throws IOException {
    TableLog.restore(job.table(), 2);
    assertThat(job.rows(), is(EventJob.events(0, 20)));
    job.send(30, 40);

    job.run().refused("restored to an older version by version 4", "--onLostTarget=continue");

    assertThat(job.rows(), is(EventJob.events(0, 20)));
    Outcome outcome = job.run("--onLostTarget=continue").done();
    assertThat(outcome.out(), containsString("change of table: "));
    assertThat(
        job.rows().stream().sorted().toList(),
        is(
            java.util.stream.Stream.concat(
                    EventJob.events(0, 20).stream(), EventJob.events(30, 40).stream())
                .sorted()
                .toList()));
  }

  @Test
  void recreatedTopicIsRefusedThoughItReachesTheSavedOffset() {
    job.broker.deleteTopic(job.topic);
    job.broker.createTopic(job.topic, 1, Map.of());
    job.send(100, 150);

    job.run().refused(job.topic, "deleted and created again", "--applicationId");

    assertThat(job.rows(), is(EventJob.events(0, 30)));
  }

  @Test
  void anotherTableIsRefused() {
    job.send(30, 40);

    job.run("--table=" + directory.resolve("other"))
        .refused("absent", "another place is given", "--onLostTarget=continue");

    assertThat(Files.exists(directory.resolve("other")), is(false));
    assertThat(job.rows(), is(EventJob.events(0, 30)));
  }

  @Test
  void optionsOfAPendingBatchStayWhatTheyWereOnceATargetHasIt() {
    job.send(30, 40);
    job.crash("between-targets");
    Map<String, Long> versions = job.versions();

    job.run("--watermarkDelay=6m")
        .refused(
            "--dedupHorizon was \"PT5M\" and is \"PT6M\"", "Start once with the former options");

    assertThat(job.versions(), is(versions));
    job.run().done();
    assertThat(job.rows(), is(EventJob.events(0, 40)));
    job.send(40, 50);
    job.run("--watermarkDelay=6m").done();
    assertThat(job.rows(), is(EventJob.events(0, 50)));
  }

  @Test
  void optionsOfAPendingBatchMayChangeWhileNoTargetHasIt() {
    job.sendValue("{\"id\":\"e30\",\"at\":\"2026-01-01T00:00:30Z\",\"amount\":300,\"more\":1}");
    job.crash("after-write");

    job.run("--unknownFields=ignore").done();

    assertThat(job.rows(), is(EventJob.events(0, 31)));
  }
}
