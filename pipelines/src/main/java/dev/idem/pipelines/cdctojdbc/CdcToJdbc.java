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
package dev.idem.pipelines.cdctojdbc;

import dev.idem.io.jdbc.JdbcUpsertIO;
import dev.idem.pipelines.changes.ChangesOptions;
import dev.idem.pipelines.job.JdbcTableOptions;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.source.DebeziumOptions;
import dev.idem.pipelines.source.KafkaOptions;
import dev.idem.pipelines.source.KafkaSource;
import dev.idem.transforms.changes.ApplyChanges;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Unmatched;

/**
 * Merges the change events of Kafka topics into a table of a database, by key and in the order of
 * their sequence: the same rows as {@code cdc-to-delta} makes of them.
 */
@Command(
    name = "cdc-to-jdbc",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Merges change events of Kafka topics into a table of a database.",
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class CdcToJdbc implements Callable<Integer> {

  @Mixin private KafkaOptions kafka;

  @Mixin private JdbcTableOptions table;

  @Mixin private ChangesOptions changes;

  @Mixin private DebeziumOptions debezium;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    if (!kafka.format().equals("debezium")) {
      return run(kafka.source(), changes.changes());
    }
    DebeziumOptions.Capture capture = debezium.capture(kafka, changes, jobOptions.lastPlan());
    return run(capture.source(), changes.changes(capture.changes(), capture.own()));
  }

  private int run(KafkaSource source, ApplyChanges merged) {
    return Job.byDefaultNamed("cdc-to-jdbc", source.names())
        .from(source)
        .into(table.target(JdbcUpsertIO.applyChanges(merged)))
        .run(jobOptions, beamOptions, System.out, System.err);
  }
}
