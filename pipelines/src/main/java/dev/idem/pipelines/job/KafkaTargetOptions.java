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

import dev.idem.pipelines.source.KafkaClusterOptions;
import dev.idem.pipelines.targets.KafkaTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of a topic that a job publishes to. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class KafkaTargetOptions {

  private static final String TRANSACTIONAL = "transactional";
  private static final String AT_LEAST_ONCE = "at-least-once";

  @Mixin private KafkaClusterOptions cluster;

  @Option(
      names = "--topic",
      required = true,
      paramLabel = "TOPIC",
      description = "The topic to publish to, which must exist.")
  private String topic;

  @Option(
      names = "--key",
      required = true,
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns of the key: one is the key as text, several are a JSON object.")
  private List<String> key = new ArrayList<>();

  @Option(
      names = "--guarantee",
      paramLabel = "transactional|at-least-once",
      defaultValue = TRANSACTIONAL,
      description =
          "Each batch once, for readers of committed records, or again when it is run again, under"
              + " the same event ids.")
  private String guarantee;

  @Option(
      names = "--deleteWhen",
      paramLabel = "COLUMN=VALUE",
      description = "Which rows are deletes, and so records without a value; default none.")
  private @Nullable String deleteWhen;

  @Option(
      names = "--ignoredFields",
      split = ",",
      paramLabel = "FIELD,..",
      description = "Fields of the rows that are in no record.")
  private List<String> ignoredFields = new ArrayList<>();

  @Option(
      names = "--transactionTimeout",
      paramLabel = "1m",
      defaultValue = "1m",
      converter = JobOptions.DurationConverter.class,
      description = "How long the transaction of a shard may take.")
  private Duration transactionTimeout;

  /** Returns the topic as a target of rows. */
  public KafkaTarget target(String name) {
    KafkaTarget target = target(name, ignoredFields);
    if (deleteWhen == null) {
      return target;
    }
    ColumnValue delete = ColumnValue.parse("--deleteWhen", deleteWhen);
    return target.deletingWhen(delete.column(), delete.value());
  }

  /**
   * Returns the topic as a target of the changes of a table: what tells of a change is in no
   * record, and a row that is not there any more has no value.
   *
   * @param column the column with the type of a change
   * @param further what else tells of a change
   * @param withdrawals the types of rows that are not there any more
   */
  public KafkaTarget targetOfChanges(
      String name, String column, List<String> further, String... withdrawals) {
    if (deleteWhen != null) {
      throw new IllegalArgumentException(
          "--deleteWhen must not be given for a feed of changes, which says itself what is deleted,"
              + " but was: \""
              + deleteWhen
              + "\".");
    }
    List<String> ignored = new ArrayList<>(ignoredFields);
    ignored.add(column);
    ignored.addAll(further);
    return target(name, ignored).deletingWhen(column, withdrawals);
  }

  private KafkaTarget target(String name, List<String> ignored) {
    KafkaTarget target =
        KafkaTarget.topic(name, cluster.config(), topic, key.toArray(String[]::new))
            .ignoringFields(ignored.toArray(String[]::new))
            .withTransactionTimeout(transactionTimeout);
    return switch (guarantee) {
      case TRANSACTIONAL -> target;
      case AT_LEAST_ONCE -> target.publishAtLeastOnce();
      default ->
          throw new IllegalArgumentException(
              "--guarantee must be transactional or at-least-once, but was: \""
                  + guarantee
                  + "\".");
    };
  }
}
