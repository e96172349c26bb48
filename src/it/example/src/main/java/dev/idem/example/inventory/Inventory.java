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
package dev.idem.example.inventory;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.transforms.changes.ApplyChanges;
import java.util.Arrays;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;

/** Keeps what is in stock in every warehouse: BOOTSTRAP_SERVERS TABLE --checkpoint=DIR. */
public final class Inventory {

  private static final String NAME = "inventory";

  private static final Schema COUNT =
      Schema.builder()
          .addStringField("warehouse")
          .addStringField("sku")
          .addStringField("operation")
          .addNullableField("quantity", FieldType.INT64)
          .addDateTimeField("counted_at")
          .addInt64Field("entry")
          .build();

  /** Counts of one millisecond are ordered by their entries. */
  private static final ApplyChanges STOCK =
      ApplyChanges.keys("warehouse", "sku")
          .sequenceBy("counted_at", "entry")
          .applyAsDeleteWhen(count -> "remove".equals(count.getString("operation")))
          .columnsExcept("operation", "entry");

  private Inventory() {}

  /** Returns the job that merges what the topic holds into a table. */
  public static Job job(String bootstrapServers, String table) {
    return Job.named(NAME)
        .from(KafkaSource.topics(KafkaConfig.of(bootstrapServers), NAME).withSchema(COUNT))
        .into(DeltaTarget.at(NAME, table).merging(DeltaLakeIO.mergeChanges(NAME).applying(STOCK)));
  }

  /** Runs the job until the topic is read out. */
  public static void main(String[] args) {
    System.exit(job(args[0], args[1]).run(Arrays.copyOfRange(args, 2, args.length)));
  }
}
