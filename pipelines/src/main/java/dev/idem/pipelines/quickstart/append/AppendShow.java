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
package dev.idem.pipelines.quickstart.append;

import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.pipelines.quickstart.environment.Batches;
import dev.idem.pipelines.quickstart.environment.Directory;
import dev.idem.pipelines.quickstart.environment.Environment;
import dev.idem.pipelines.quickstart.environment.Figures;
import dev.idem.pipelines.stage.Counts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the quickstart of {@code kafka-to-delta} shows, step by step, on a broker that runs. */
public final class AppendShow {

  private static final String TOPIC = "orders";
  private static final String COPIED = "events";
  private static final long BATCHES = 5;
  private static final long CRASHED = 2;
  private static final int DONE = 0;

  private final Environment environment;
  private final Path schema;

  /** Prepares the show. */
  public AppendShow(Environment environment) throws IOException {
    this.environment = environment;
    this.schema =
        Files.writeString(
            environment.directory().root().resolve("orders.schema.json"), Order.DELTA_SCHEMA);
  }

  /** Returns the names of the figures that are not as they must be. */
  public List<String> run(OrderStream orders) throws IOException {
    Figures figures = new Figures();
    orders(orders, figures);
    say("");
    say("5. The same crash on nine events, written at least once and exactly once");
    environment.broker().createTopic(COPIED, 1);
    environment.broker().send(COPIED, Tutorial.messages());
    copyEvents("at-least-once", List.of("--writeAtLeastOnce"), 18, figures);
    copyEvents("exactly-once", List.of(), 9, figures);
    say("");
    say(figures.toString().stripTrailing());
    return figures.wrong();
  }

  private void orders(OrderStream orders, Figures figures) throws IOException {
    say("");
    say(
        "2. %,d orders into topic %s, %d partitions, out of order; beside them"
            .formatted(orders.orders(), TOPIC, OrderStream.PARTITIONS));
    say(
        "   %,d delivered again, %,d again with another amount, %,d two hours late, %,d malformed"
            .formatted(
                orders.sent(OrderStream.Kind.COPY),
                orders.sent(OrderStream.Kind.CONFLICT),
                orders.sent(OrderStream.Kind.LATE),
                orders.sent(
                    OrderStream.Kind.BROKEN,
                    OrderStream.Kind.WITHOUT_KEY,
                    OrderStream.Kind.WITHOUT_VALUE)));
    environment.broker().createTopic(TOPIC, OrderStream.PARTITIONS);
    final long acknowledged = environment.broker().send(TOPIC, orders.messages());
    say("   %,d records, all acknowledged".formatted(acknowledged));

    List<String> job = ordersJob((acknowledged + BATCHES - 1) / BATCHES);
    say("");
    say(
        "3. kafka-to-delta, halted after batch "
            + CRASHED
            + " is in the table, before commits/"
            + CRASHED);
    run("orders-crash", CrashPoint.EXIT_CODE, job, "--crashAt=after-target-commit:" + CRASHED);
    Readings.Rows before = Readings.rows(table(environment.directory()));
    Batches planned = Batches.read(checkpoint(environment.directory()));
    say(
        "   exit %d; the table has %,d rows, %d batches are done, offsets without commits: %s"
            .formatted(
                CrashPoint.EXIT_CODE, before.rows(), planned.committed(), planned.planned()));

    say("");
    say(
        "4. The same command again: the table is asked, so batch "
            + CRASHED
            + " is not written twice");
    run("orders-restart", DONE, job);
    Readings.Held held = Readings.held(table(environment.directory()), orders);
    Batches batches = Batches.read(checkpoint(environment.directory()));
    say(
        "   exit %d; the table has %,d rows, %,d different; %d batches are done, %d of them skipped"
            .formatted(DONE, held.rows(), held.distinct(), batches.committed(), batches.skipped()));
    ordersFigures(orders, acknowledged, held, batches, figures);
  }

  private void ordersFigures(
      OrderStream orders, long acknowledged, Readings.Held held, Batches batches, Figures figures) {
    Readings.DeadLetters dead = Readings.deadLetters(table(environment.directory()));
    final long broken = orders.sent(OrderStream.Kind.BROKEN);
    final long late = orders.sent(OrderStream.Kind.LATE);
    final long conflicts = orders.sent(OrderStream.Kind.CONFLICT);
    final long withoutKey = orders.sent(OrderStream.Kind.WITHOUT_KEY);
    final long withoutValue = orders.sent(OrderStream.Kind.WITHOUT_VALUE);
    final long deadLetters = broken + late + conflicts + withoutKey + withoutValue;
    String checkpoint = "commits of the checkpoint";
    String table = "the table";
    String deadLetterTable = "its dead letters";
    figures.add(
        "sent",
        acknowledged,
        environment.broker().records(TOPIC, OrderStream.PARTITIONS),
        "the topic's offsets");
    figures.add("read", acknowledged, batches.count(Counts.READ), checkpoint);
    figures.add("unique", orders.orders(), batches.count(Counts.ROWS), checkpoint);
    figures.add("in the table", orders.orders(), held.rows(), table);
    figures.add("distinct, as they were sent", orders.orders(), held.distinct(), table);
    figures.add("missing", 0, held.missing(), table);
    figures.add("duplicates", 0, held.duplicates(), table);
    figures.add("not as they were sent", 0, held.foreign(), table);
    figures.add(
        "copies dropped",
        orders.sent(OrderStream.Kind.COPY),
        batches.count(Counts.DUPLICATES),
        checkpoint);
    figures.add("late", late, dead.of("late"), deadLetterTable);
    figures.add("conflicts", conflicts, dead.of("conflict"), deadLetterTable);
    figures.add("parse errors", broken, dead.of("parse error"), deadLetterTable);
    figures.add("null keys", withoutKey, dead.of("null key"), deadLetterTable);
    figures.add("null values", withoutValue, dead.of("null value"), deadLetterTable);
    figures.add("dead letters", deadLetters, dead.all(), deadLetterTable);
    figures.add("dead letters, distinct", deadLetters, dead.records(), deadLetterTable);
    figures.add("batches", batches.committed(), checkpoint);
    figures.add("replays skipped", 1, batches.skipped(), checkpoint);
  }

  private void copyEvents(String how, List<String> more, long rows, Figures figures)
      throws IOException {
    Path place = Files.createDirectory(environment.directory().root().resolve(how));
    Path table = place.resolve("events_copy");
    List<String> job = new ArrayList<>(job(COPIED, table, place.resolve("checkpoint")));
    job.addAll(more);
    say("   " + how);
    run(how + "-crash", CrashPoint.EXIT_CODE, job, "--crashAt=after-target-commit");
    Readings.Rows first = Readings.rows(table);
    say("     the job was halted after writing batch 0, before it was committed");
    say("     events_copy has %d rows, %d different".formatted(first.rows(), first.distinct()));
    run(how + "-restart", DONE, job);
    Readings.Rows second = Readings.rows(table);
    say("     events_copy has %d rows, %d different".formatted(second.rows(), second.distinct()));
    figures.add("events_copy, " + how, rows, second.rows(), "the table");
    figures.add(
        "events_copy, " + how + ", distinct",
        Tutorial.EVENTS.size(),
        second.distinct(),
        "the table");
  }

  private List<String> ordersJob(long maxRecordsPerBatch) {
    List<String> job =
        new ArrayList<>(
            job(TOPIC, table(environment.directory()), checkpoint(environment.directory())));
    job.addAll(
        List.of(
            "--keys=event_id",
            "--eventTime=event_time",
            "--watermarkDelay=5m",
            "--maxRecordsPerBatch=" + maxRecordsPerBatch));
    return job;
  }

  private List<String> job(String topic, Path table, Path checkpoint) {
    return List.of(
        "kafka-to-delta",
        "--bootstrapServers=" + environment.broker().address(),
        "--topics=" + topic,
        "--table=" + table,
        "--checkpoint=" + checkpoint,
        "--schema=" + schema);
  }

  private void run(String name, int exitCode, List<String> job, String... more) throws IOException {
    List<String> arguments = new ArrayList<>(job);
    arguments.addAll(List.of(more));
    environment.children().run(name, exitCode, environment.job(arguments));
  }

  private static Path table(Directory directory) {
    return directory.root().resolve("orders");
  }

  private static Path checkpoint(Directory directory) {
    return directory.root().resolve("orders_checkpoint");
  }

  /** Returns the command that shows what the job left. */
  public static String inspection(Directory directory) {
    return "pipelines/bin/idem inspect --checkpoint=%s --table=%s"
        .formatted(checkpoint(directory), table(directory));
  }

  private void say(String line) {
    environment.say(line);
  }
}
