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
package dev.idem.io.kafka.publish;

import static dev.idem.io.kafka.publish.Topics.broker;
import static dev.idem.io.kafka.publish.Topics.config;
import static dev.idem.io.kafka.publish.Topics.events;
import static dev.idem.io.kafka.publish.Topics.textOf;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;

import dev.idem.testing.Covers;
import dev.idem.testing.RunnerUnderTest;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Processes that are killed with SIGKILL while or after they publish. */
class KilledPublisherTest {

  @TempDir Path directory;

  private void runAndKill(String topic, String mode, int before) throws IOException {
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx512m",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PublishingProcess.class.getName(),
                broker().bootstrapServers(),
                topic,
                mode,
                Integer.toString(before))
            .redirectError(new File(directory.toString(), "errors"))
            .start();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8)) {
      String line = out.readLine();
      while (line != null && !line.equals(PublishingProcess.HERE)) {
        line = out.readLine();
      }
      assertThat("the process must come to where it is killed", line != null, is(true));
    } finally {
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  private static void run(PTransform<PCollection<KafkaEvent>, ?> publish) {
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    pipeline.apply(Create.of(events(0, 1000)).withCoder(KafkaEventCoder.of())).apply(publish);
    pipeline.run().waitUntilFinish();
  }

  @Test
  @Covers.Case("DEV-23")
  @Covers.Row(31)
  void killsInATransactionAndBeforeTheCheckpointAddNothing() throws IOException {
    String topic = Topics.create();
    for (int before : new int[] {100, 600, 0}) {
      runAndKill(topic, "once", before);
    }

    run(
        KafkaPublishIO.publishInTransactions("shop")
            .to(topic)
            .withConfig(config())
            .withBatch(0)
            .withShards(7));

    broker().awaitStable(topic);
    Topics.assertHolds(topic, events(0, 1000));
  }

  @Test
  @Covers.Case("DEV-23")
  @Covers.Row(20)
  void copiesOfAtLeastOnceAreRecognised() throws IOException {
    String topic = Topics.create();
    for (int kill = 0; kill < 3; kill++) {
      runAndKill(topic, "at-least-once", 0);
    }
    run(KafkaPublishIO.publishAtLeastOnce("shop").to(topic).withConfig(config()).withBatch(0));

    List<ConsumerRecord<byte[], byte[]>> records = Topics.read(topic);
    assertThat(records, hasSize(4000));
    Map<String, TreeSet<String>> byId = new HashMap<>();
    for (ConsumerRecord<byte[], byte[]> record : records) {
      byId.computeIfAbsent(textOf(record, EventHeaders.EVENT_ID), id -> new TreeSet<>())
          .add(Topics.text(record));
    }
    assertThat(
        byId.values().stream().map(texts -> String.join(" and ", texts)).sorted().toList(),
        is(events(0, 1000).stream().map(Topics::text).sorted().toList()));
  }
}
