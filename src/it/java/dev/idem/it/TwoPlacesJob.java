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

import dev.idem.io.jdbc.JdbcDatabase;
import dev.idem.io.jdbc.JdbcUpsertIO;
import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.pipelines.targets.JdbcTarget;
import java.nio.file.Path;
import java.util.Arrays;

/** A job that writes events to a Delta table and to a database. */
final class TwoPlacesJob {

  private TwoPlacesJob() {}

  /** Runs the job: servers, topic, directory, URL, user, password file, then its options. */
  public static void main(String[] arguments) {
    JdbcDatabase database =
        JdbcDatabase.at(arguments[3]).as(arguments[4]).withPasswordFile(Path.of(arguments[5]));
    System.exit(
        Job.named("both")
            .from(KafkaSource.topics(KafkaConfig.of(arguments[0]), arguments[1]))
            .into(
                DeltaTarget.at("table", Path.of(arguments[2]).resolve("table").toString()),
                JdbcTarget.of(
                    "database",
                    JdbcUpsertIO.appendOncePerBatch("both").to("events").withDatabase(database)))
            .run(Arrays.copyOfRange(arguments, 6, arguments.length)));
  }
}
