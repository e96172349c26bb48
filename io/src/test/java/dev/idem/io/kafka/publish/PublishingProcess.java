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

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.testing.RunnerUnderTest;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;

/** A process that publishes 1000 events, says so where it is to be killed, and waits for that. */
final class PublishingProcess {

  /** Says that the process is where it is to be killed. */
  static final String HERE = "kill me";

  private PublishingProcess() {}

  /**
   * Publishes to topic {@code args[1]} of the cluster {@code args[0]}, {@code once} or at least
   * once ({@code args[2]}), and stops before record number {@code args[3]}, or at 0 when all is
   * published and only the checkpoint is missing.
   */
  public static void main(String[] args) {
    String topic = args[1];
    int stop = Integer.parseInt(args[3]);
    AtomicInteger sent = new AtomicInteger();
    KafkaConfig config =
        SendHook.in(
            KafkaConfig.of(args[0]),
            topic,
            record -> {
              if (record.topic().equals(topic) && sent.incrementAndGet() == stop) {
                waitForTheKill();
              }
            });
    PTransform<PCollection<KafkaEvent>, ?> publish =
        args[2].equals("once")
            ? KafkaPublishIO.publishInTransactions("shop")
                .to(topic)
                .withConfig(config)
                .withBatch(0)
                .withShards(4)
            : KafkaPublishIO.publishAtLeastOnce("shop").to(topic).withConfig(config).withBatch(0);
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    pipeline
        .apply(Create.of(Topics.events(0, 1000)).withCoder(KafkaEventCoder.of()))
        .apply(publish);
    pipeline.run().waitUntilFinish();
    waitForTheKill();
  }

  private static synchronized void waitForTheKill() {
    System.out.println(HERE);
    while (true) {
      Thread.onSpinWait();
    }
  }
}
