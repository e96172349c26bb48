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
package dev.idem.pipelines.quickstart.cdc;

import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.quickstart.environment.Batches;
import dev.idem.pipelines.quickstart.environment.Directory;
import dev.idem.pipelines.quickstart.environment.Environment;
import dev.idem.pipelines.quickstart.environment.Figures;
import dev.idem.pipelines.quickstart.environment.QuickstartErrors;
import dev.idem.pipelines.targets.DeltaTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.apache.beam.sdk.values.Row;

/** What the quickstart of {@code cdc-to-delta} shows, step by step, on a broker that runs. */
public final class CdcShow {

  private static final int MOST_KILLS = 100;
  private static final int BATCHES = 5;
  private static final int LEAST_BATCH = 100;
  private static final String LATEST = "accounts";
  private static final String HISTORY = "accounts_history";

  private final Environment environment;
  private final Plan plan;

  /**
   * How long it is.
   *
   * @param transactions of the workload
   * @param kills of each job that must hit an open batch
   */
  public record Plan(int transactions, int kills) {
    /** Refuses what is too little or too much. */
    public Plan {
      if (transactions < Workload.LEAST || transactions > Workload.MOST) {
        throw QuickstartErrors.outOfRange(
            "--transactions", transactions, Workload.LEAST, Workload.MOST);
      }
      if (kills < 0 || kills > MOST_KILLS) {
        throw QuickstartErrors.outOfRange("--kills", kills, 0, MOST_KILLS);
      }
    }
  }

  /** Prepares the show. */
  public CdcShow(Environment environment, Plan plan) {
    this.environment = environment;
    this.plan = plan;
  }

  /** Returns the names of the figures that are not as they must be. */
  public List<String> run() throws IOException {
    try {
      return show();
    } catch (SQLException e) {
      throw CdcErrors.database(e);
    }
  }

  private List<String> show() throws IOException, SQLException {
    Database database = Database.start(environment);
    try (Workload workload = new Workload(database)) {
      final long firstRows = workload.insertFirstRows();
      say("");
      say("2. A PostgreSQL of its own, and Debezium, which sends what happens in table accounts");
      say(
          "   127.0.0.1:%d, process %d; %,d rows"
              .formatted(database.port(), database.pid(), firstRows));
      Debezium debezium = Debezium.start(environment, database);
      say(
          "   Debezium, process %d, into topic %s, %d partitions"
              .formatted(debezium.pid(), Debezium.TOPIC, Debezium.PARTITIONS));
      debezium.awaitFirstRows(firstRows);

      final KilledJob latest = job(LATEST, "--scd=1", "--mergeMode=copy-on-write");
      final KilledJob history = job(HISTORY, "--scd=2", "--mergeMode=merge-on-read");
      final List<List<Long>> killed = killed(latest, history, workload, debezium);
      final Tally done = workload.finish();
      final String position = database.position();
      say("");
      say(
          "4. %,d transactions are committed, %,d rolled back; PostgreSQL is at LSN %s"
              .formatted(done.committed(), done.rolledBack(), position));
      say(
          "   %,d rows inserted, %,d updated, %,d moved to another key, %,d deleted"
              .formatted(done.inserted(), done.updated(), done.moved(), done.deleted()));
      debezium.awaitCaptured(position);
      say("   Debezium has sent all up to there; both jobs run until they have read it");
      atOnce(List.of(latest::runToTheEnd, history::runToTheEnd));

      say("");
      say(
          "5. Both tables, held against table accounts at LSN %s, value by value"
              .formatted(position));
      Figures figures = new Figures();
      topicFigures(done, firstRows, figures);
      jobFigures(List.of(latest, history), killed, figures);
      tableFigures(database.accounts(), latest, history, position, figures);
      say("");
      say(figures.toString().stripTrailing());
      return figures.wrong();
    }
  }

  private KilledJob job(String name, String... options) {
    // Enough batches for the kills, also if there are few transactions.
    long most = Math.max(LEAST_BATCH, 3L * plan.transactions() / (plan.kills() + BATCHES));
    List<String> all = new ArrayList<>();
    all.add("--format=debezium");
    all.add("--bootstrapServers=" + environment.broker().address());
    all.add("--topics=" + Debezium.TOPIC);
    all.addAll(List.of(options));
    return new KilledJob(environment, name, all, most);
  }

  /** Runs the workload and kills meanwhile; returns the batches that were open, of each job. */
  private List<List<Long>> killed(
      KilledJob latest, KilledJob history, Workload workload, Debezium debezium) {
    say("");
    say(
        "3. %,d transactions of %d connections, seed %d; meanwhile Debezium and two jobs are killed"
            .formatted(plan.transactions(), Workload.TELLERS, Workload.SEED));
    workload.start(plan.transactions());
    return atOnce(
        List.of(
            () -> latest.kill(plan.kills(), 1, workload::done),
            () -> history.kill(plan.kills(), 2, workload::done),
            () -> {
              debezium.await(
                  "run beside the workload", () -> workload.done() >= plan.transactions() / 3);
              debezium.restart();
              say("   debezium: killed, %,d transactions in".formatted(workload.done()));
              return List.of();
            }));
  }

  /** Runs tasks at once and returns what they do, when all are done. */
  private static <T> List<T> atOnce(List<Callable<T>> tasks) {
    ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> each : threads.invokeAll(tasks)) {
        results.add(each.get());
      }
      return results;
    } catch (ExecutionException e) {
      throw CdcErrors.failed(e.getCause());
    } catch (InterruptedException e) {
      throw QuickstartErrors.interrupted(e);
    } finally {
      threads.shutdownNow();
    }
  }

  private void topicFigures(Tally done, long firstRows, Figures figures) throws IOException {
    CapturedEvents events =
        CapturedEvents.read(environment.broker().address(), Debezium.TOPIC, Debezium.PARTITIONS);
    String topic = "the topic";
    figures.add("transactions committed", done.committed(), events.transactions(), topic);
    figures.add("transactions rolled back", done.rolledBack(), "PostgreSQL's answers");
    figures.add("rows before the first transaction", firstRows, events.firstRows(), topic);
    figures.add("changes of rows", done.changes(), events.changes(), topic);
    figures.add("changes without the large value", events.unsent(), topic);
    figures.add("events sent again", events.again(), topic);
  }

  private void jobFigures(List<KilledJob> jobs, List<List<Long>> killed, Figures figures)
      throws IOException {
    long kills = 0;
    long batches = 0;
    long done = 0;
    for (int i = 0; i < jobs.size(); i++) {
      Batches found = Batches.read(jobs.get(i).checkpoint());
      batches += found.committed();
      kills += killed.get(i).size();
      done += killed.get(i).stream().filter(found.done()::contains).count();
    }
    String checkpoints = "commits of the checkpoints";
    figures.add("batches", batches, checkpoints);
    figures.add(
        "kills with a batch open", 2L * plan.kills(), kills, "the checkpoints, at the kill");
    figures.add("those batches, done since", kills, done, checkpoints);
  }

  private static void tableFigures(
      Map<Long, Account> accounts,
      KilledJob latest,
      KilledJob history,
      String position,
      Figures figures) {
    figures.add("rows in PostgreSQL", accounts.size(), "PostgreSQL at " + position);
    List<Account> rows = rows(latest).map(Account::of).toList();
    compare("accounts", Comparison.of(accounts, rows), accounts.size(), figures);
    List<Version> versions = rows(history).map(Version::of).toList();
    List<Account> open = versions.stream().filter(Version::isOpen).map(Version::account).toList();
    figures.add("history: versions", versions.size(), "the table");
    figures.add("history: overlapping", 0, Version.overlapping(versions), "the table");
    compare("history, open", Comparison.of(accounts, open), accounts.size(), figures);
    long dead = Stream.of(latest, history).mapToLong(CdcShow::deadLetters).sum();
    figures.add("dead letters", 0, dead, "the tables of dead letters");
  }

  private static void compare(String name, Comparison comparison, long rows, Figures figures) {
    String table = "the table";
    figures.add(name + ": rows", rows, comparison.rows(), table);
    figures.add(name + ": as in PostgreSQL", rows, comparison.equal(), table);
    figures.add(name + ": missing", 0, comparison.missing(), table);
    figures.add(name + ": extra", 0, comparison.extra(), table);
    figures.add(name + ": duplicates", 0, comparison.duplicates(), table);
  }

  private static Stream<Row> rows(KilledJob job) {
    return DeltaRows.read(job.table().toString()).toList().stream();
  }

  private static long deadLetters(KilledJob job) {
    return DeltaRows.read(DeltaTarget.deadLetterPath(job.table().toString())).toList().size();
  }

  private void say(String line) {
    environment.say(line);
  }

  /** Returns the command that shows what the job left. */
  public static String inspection(Directory directory) {
    Path root = directory.root();
    return "pipelines/bin/idem inspect --checkpoint=%s --table=%s"
        .formatted(root.resolve(LATEST + "_checkpoint"), root.resolve(LATEST));
  }
}
