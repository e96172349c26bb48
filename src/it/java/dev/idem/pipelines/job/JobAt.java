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
package dev.idem.pipelines.job;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.pipelines.targets.DeltaTarget;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import picocli.CommandLine;

/**
 * A job like {@code kafka-to-delta}, run at a given time: the clock that a job plans by is an
 * argument here, and on no command line.
 */
public final class JobAt {

  private JobAt() {}

  /** Runs a job at the time that is the first argument; the others are those of {@link #run}. */
  public static void main(String[] arguments) {
    System.exit(
        run(
            Instant.parse(arguments[0]),
            arguments[1],
            arguments[2],
            arguments[3],
            Arrays.copyOfRange(arguments, 4, arguments.length)));
  }

  /** Deduplicates a topic by event id into a table, and returns the exit code. */
  public static int run(
      Instant now, String bootstrapServers, String topic, String table, String... options) {
    JobOptions jobOptions = new JobOptions();
    List<String> beam =
        new CommandLine(jobOptions)
            .setUnmatchedArgumentsAllowed(true)
            .setCaseInsensitiveEnumValuesAllowed(true)
            .parseArgs(options)
            .unmatched();
    JobSettings settings =
        jobOptions.settings("orders-test", true, Clock.fixed(now, ZoneOffset.UTC));
    return Job.named("orders-test")
        .from(KafkaSource.topics(KafkaConfig.of(bootstrapServers), topic).withEventTime("event_ts"))
        .through((batch, events) -> events.apply(batch.deduplicateBy("event_id")))
        .into(DeltaTarget.at("table", table))
        .run(settings, beam, new Progress(System.out), System.err);
  }
}
