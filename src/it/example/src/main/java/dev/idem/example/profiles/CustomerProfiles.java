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
package dev.idem.example.profiles;

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.transforms.changes.ApplyChanges;
import java.util.Arrays;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;

/** Keeps the history of customers' profiles: BOOTSTRAP_SERVERS TABLE --checkpoint=DIR. */
public final class CustomerProfiles {

  private static final String NAME = "customer-profiles";

  private static final Schema UPDATE =
      Schema.builder()
          .addInt64Field("customer_id")
          .addInt64Field("version")
          .addStringField("operation")
          .addNullableField("name", FieldType.STRING)
          .addNullableField("email", FieldType.STRING)
          .addNullableField("last_seen", FieldType.DATETIME)
          .build();

  /** An update has the columns that it sets; that a customer was seen makes no new version. */
  private static final ApplyChanges PROFILES =
      ApplyChanges.keys("customer_id")
          .sequenceBy("version")
          .applyAsDeleteWhen(update -> "close".equals(update.getString("operation")))
          .ignoreNullUpdates()
          .columnsExcept("operation", "version")
          .storedAsScdType2()
          .trackHistoryExcept("last_seen")
          .historyColumns("valid_from", "valid_to");

  private CustomerProfiles() {}

  /** Returns the job that merges what the topic holds into a table. */
  public static Job job(String bootstrapServers, String table) {
    return Job.named(NAME)
        .from(KafkaSource.topics(KafkaConfig.of(bootstrapServers), NAME).withSchema(UPDATE))
        .into(
            DeltaTarget.at(NAME, table).merging(DeltaLakeIO.mergeChanges(NAME).applying(PROFILES)));
  }

  /** Runs the job until the topic is read out. */
  public static void main(String[] args) {
    System.exit(job(args[0], args[1]).run(Arrays.copyOfRange(args, 2, args.length)));
  }
}
