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
package dev.idem.example;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.event.MapRows;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import java.util.Arrays;
import org.apache.beam.sdk.schemas.Schema;

/** Keeps the paid orders of a topic in a Delta table: BOOTSTRAP_SERVERS TABLE --checkpoint=DIR. */
public final class PaidOrders {

  static final Schema ORDER =
      Schema.builder()
          .addStringField("event_id")
          .addInt64Field("order_id")
          .addStringField("status")
          .addDoubleField("amount")
          .addInt64Field("event_ts")
          .build();

  /** Runs the job until the topic is read out. */
  public static void main(String[] args) {
    int exitCode =
        Job.named("paid-orders")
            .from(
                KafkaSource.topics(KafkaConfig.of(args[0]), "orders")
                    .withSchema(ORDER)
                    .withEventTime("event_ts"))
            .through(
                (batch, events) ->
                    events
                        .apply("OncePerEvent", batch.deduplicateBy("event_id"))
                        .apply(
                            "KeepPaid",
                            MapRows.into(ORDER)
                                .via(o -> "paid".equals(o.getString("status")) ? o : null)))
            .into(DeltaTarget.at("paid", args[1]))
            .run(Arrays.copyOfRange(args, 2, args.length));
    System.exit(exitCode);
  }
}
