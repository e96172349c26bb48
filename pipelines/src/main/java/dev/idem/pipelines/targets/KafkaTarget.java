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
package dev.idem.pipelines.targets;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.io.kafka.publish.PublishTarget;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * A Kafka topic that a job publishes its rows to. A row becomes a record: the key is made of key
 * columns, the value is the row as JSON, a row that is a delete has no value.
 *
 * <p><b>Guarantee.</b> Each batch is in the topic once, for readers with {@code
 * isolation.level=read_committed}, and the records of a key are in the order in which the source
 * has them, as far as they are of one partition of it. With {@link #publishAtLeastOnce} a batch
 * that is run again is published again, under the same event ids.
 *
 * <p><b>Replay.</b> Each shard of a batch is a transaction with its mark in the progress topic, so
 * what is there is not published again; {@link dev.idem.io.kafka.publish.PublishInTransactions} has
 * it step by step. At a start the transactions that a killed run left open are ended.
 *
 * <p><b>Requirements.</b> The topic must exist, with the partitions it is to have for good.
 *
 * <p><b>State and cost.</b> A worker holds the rows of a shard. Each shard costs about a tenth of a
 * second.
 *
 * <p><b>Errors.</b> Rows without a key and rows that the topic does not take for their size are
 * dead letters of the job, with the record they were read from.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * Job.named("orders")
 *     .from(source)
 *     .into(
 *         DeltaTarget.at("orders", "/data/orders"),
 *         KafkaTarget.topic("events", KafkaConfig.of("broker:9092"), "orders-clean", "order_id"))
 *     .run(arguments);
 * }</pre>
 */
public final class KafkaTarget implements JobTarget {

  private static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(1);

  private final String name;
  private final KafkaConfig config;
  private final String topic;
  private final RowRules rules;
  private final boolean atLeastOnce;
  private final Duration transactionTimeout;

  private KafkaTarget(
      String name,
      KafkaConfig config,
      String topic,
      RowRules rules,
      boolean atLeastOnce,
      Duration transactionTimeout) {
    this.name = name;
    this.config = config;
    this.topic = topic;
    this.rules = rules;
    this.atLeastOnce = atLeastOnce;
    this.transactionTimeout = transactionTimeout;
  }

  /**
   * Returns a topic.
   *
   * @param name names the target within the job, for ever: it is part of what the topic remembers
   * @param keyColumns the columns that the records' keys are made of: one is the key as text, or as
   *     bytes; several are a JSON object
   */
  public static KafkaTarget topic(
      String name, KafkaConfig config, String topic, String... keyColumns) {
    if (keyColumns.length == 0) {
      throw TargetErrors.noKeyColumns("topic \"" + topic + "\"");
    }
    for (String column : keyColumns) {
      if (Collections.frequency(List.of(keyColumns), column) > 1) {
        throw TargetErrors.keyColumnTwice("topic \"" + topic + "\"", column);
      }
    }
    return new KafkaTarget(
        TargetNames.requireUsable(name),
        config,
        topic,
        new RowRules(List.of(keyColumns), Optional.empty(), Set.of()),
        false,
        DEFAULT_TIMEOUT);
  }

  /**
   * Takes rows with one of these values, as text, in a field as deletes: their records have no
   * value. A delete is left out if the source has another row of its key at the same place, such as
   * the same version of a table. Default: no row is a delete.
   */
  public KafkaTarget deletingWhen(String field, String... values) {
    Set<String> sorted = new TreeSet<>(List.of(values));
    return new KafkaTarget(
        name,
        config,
        topic,
        new RowRules(
            rules.keyColumns(), Optional.of(new RowRules.Deletes(field, sorted)), rules.ignored()),
        atLeastOnce,
        transactionTimeout);
  }

  /** Leaves fields of the rows out of the records' values. Default: none. */
  public KafkaTarget ignoringFields(String... fields) {
    return new KafkaTarget(
        name,
        config,
        topic,
        new RowRules(rules.keyColumns(), rules.deletes(), Set.copyOf(List.of(fields))),
        atLeastOnce,
        transactionTimeout);
  }

  /**
   * Publishes without transactions: a batch that is run again after a crash is published again, and
   * the job says so when it starts. Copies bear the same event id, by which {@link
   * dev.idem.io.kafka.publish.KafkaPublishIO#deduplicate} leaves them out.
   */
  public KafkaTarget publishAtLeastOnce() {
    return new KafkaTarget(name, config, topic, rules, true, transactionTimeout);
  }

  /**
   * Sets how long the transaction of a shard may be open before the broker ends it and the batch
   * fails. Default: 1 minute.
   */
  public KafkaTarget withTransactionTimeout(Duration timeout) {
    return new KafkaTarget(name, config, topic, rules, atLeastOnce, timeout);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String place() {
    return "topic " + topic + " of " + config.bootstrapServers();
  }

  @Override
  public Optional<String> rules() {
    return Optional.of(rules.text());
  }

  RowRules rowRules() {
    return rules;
  }

  boolean atLeastOnce() {
    return atLeastOnce;
  }

  PublishTarget target(String applicationId) {
    PublishTarget defaults = PublishTarget.of(config, applicationId, topic);
    return new PublishTarget(
        config, applicationId, name, topic, defaults.progressTopic(), transactionTimeout);
  }
}
