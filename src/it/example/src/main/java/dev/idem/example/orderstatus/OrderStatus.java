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
package dev.idem.example.orderstatus;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.transforms.changes.ApplyChanges;
import java.util.Arrays;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;

/** Keeps the latest status of every order: BOOTSTRAP_SERVERS TABLE --checkpoint=DIR. */
public final class OrderStatus {

  private static final String NAME = "order-status";

  private static final Schema EVENT =
      Schema.builder()
          .addStringField("event_id")
          .addInt64Field("order_id")
          .addStringField("customer_id")
          .addStringField("status")
          .addLogicalTypeField("amount", FixedPrecisionNumeric.of(10, 2))
          .addDateTimeField("event_time")
          .build();

  /** An event that comes late, or again, never takes the place of a newer one. */
  private static final ApplyChanges LATEST =
      ApplyChanges.keys("order_id").sequenceBy("event_time", "event_id").columnsExcept("event_id");

  private OrderStatus() {}

  /** Returns the job that merges what the topic holds into a table. */
  public static Job job(String bootstrapServers, String table) {
    return Job.named(NAME)
        .from(KafkaSource.topics(KafkaConfig.of(bootstrapServers), NAME).withSchema(EVENT))
        .into(DeltaTarget.at(NAME, table).merging(DeltaLakeIO.mergeChanges(NAME).applying(LATEST)));
  }

  /** Runs the job until the topic is read out. */
  public static void main(String[] args) {
    System.exit(job(args[0], args[1]).run(Arrays.copyOfRange(args, 2, args.length)));
  }
}
