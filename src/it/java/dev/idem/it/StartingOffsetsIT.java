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

import dev.idem.pipelines.job.Job;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where the first batch begins, as users ask for it. */
class StartingOffsetsIT {

  @TempDir Path directory;

  @Test
  void latestReadsWhatIsSentBetweenTwoRuns() {
    EventJob job = EventJob.in(directory, 2).with("--startingOffsets", "latest");
    job.send(0, 10);
    job.run().done();
    job.send(10, 15);
    job.broker.sendAll(List.of(job.record(1, EventJob.event(15))));

    job.run().done();

    assertThat(job.rows(), is(EventJob.events(10, 16)));
    job.send(16, 20);
    job.run().done();
    assertThat(job.rows(), is(EventJob.events(10, 20)));
  }

  @Test
  void latestReadsWhatIsSentAfterTheStartOfAJobThatGoesOn() {
    EventJob job = EventJob.in(directory).with("--startingOffsets", "latest");
    JobState state = new JobState("kafka-to-delta:" + job.topic, job.checkpoint(), job.table());
    job.send(0, 10);

    try (JobProcess process = job.start("--trigger=100ms")) {
      assertThat(
          process.output(),
          process.await(() -> Files.exists(job.checkpoint().resolve("start"))),
          is(true));
      job.send(10, 15);
      assertThat(process.output(), process.await(() -> state.isCommitted(0)), is(true));
      job.send(15, 18);
      process.await(() -> state.isCommitted(1));
      process.terminate();
      assertThat(process.output(), process.exitCode(), is(Job.DONE));
    }

    job.run().done();
    assertThat(job.rows(), is(EventJob.events(10, 18)));
  }

  @Test
  void latestRefusesWhatExpiredSinceTheFirstRun() {
    EventJob job = EventJob.in(directory).with("--startingOffsets", "latest");
    job.send(0, 10);
    job.run().done();
    job.send(10, 15);
    job.broker.deleteRecords(job.topic, 0, 12);

    job.run().refused(job.topic + "-0", "offset 10,", "earliest offset is: 12");
    job.run("--onDataLoss=continue").done();

    assertThat(job.rows(), is(EventJob.events(12, 15)));
    assertThat(job.count(0, "lost"), is(2L));
  }

  @Test
  void timestampLaterThanEveryRecordWaitsForTheFirstThatIsNotEarlier() {
    Instant from = EventJob.FIRST.plusSeconds(100);
    EventJob job = EventJob.in(directory).with("--startingOffsets", "timestamp:" + from);
    for (int id = 0; id < 3; id++) {
      job.broker.sendAll(List.of(at(job, from.minusSeconds(1), id)));
      job.run().done();
    }
    job.broker.sendAll(List.of(at(job, from, 3), at(job, from.minusSeconds(1), 4)));

    job.run().done();

    assertThat(job.rows(), is(EventJob.events(3, 5)));
  }

  private static ProducerRecord<byte[], byte[]> at(EventJob job, Instant time, int id) {
    ProducerRecord<byte[], byte[]> record = job.record(0, EventJob.event(id));
    return new ProducerRecord<>(
        record.topic(), record.partition(), time.toEpochMilli(), null, record.value());
  }
}
