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

import dev.idem.pipelines.quickstart.environment.Environment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * A job that is killed with SIGKILL again and again while a batch is open, and started again.
 *
 * <p>A batch is open if it is planned, {@code offsets/N}, and not committed, {@code commits/N}.
 * Whether it was is read after the process is gone; a kill that came too late does not count, and
 * another is made.
 */
final class KilledJob {

  private static final int DONE = 0;
  private static final Duration LATEST_KILL = Duration.ofMillis(1_500);

  private final Environment environment;
  private final String name;
  private final Path table;
  private final Path checkpoint;
  private final List<String> command;
  private final long mostRecords;

  /**
   * Prepares a job.
   *
   * @param name of the table, and of the logs
   * @param options of the job besides table and checkpoint
   * @param mostRecords of a batch, while it is killed
   */
  KilledJob(Environment environment, String name, List<String> options, long mostRecords) {
    this.environment = environment;
    this.name = name;
    this.table = environment.directory().root().resolve(name);
    this.checkpoint = environment.directory().root().resolve(name + "_checkpoint");
    this.command = new ArrayList<>(List.of("cdc-to-delta"));
    command.addAll(options);
    command.addAll(List.of("--table=" + table, "--checkpoint=" + checkpoint));
    this.mostRecords = mostRecords;
  }

  Path table() {
    return table;
  }

  Path checkpoint() {
    return checkpoint;
  }

  /**
   * Starts and kills the job until that many kills have hit an open batch, and returns the batches.
   *
   * @param transactions how many there were so far
   */
  List<Long> kill(int kills, long seed, LongSupplier transactions)
      throws IOException, SQLException {
    Random random = new Random(seed);
    List<Long> hit = new ArrayList<>();
    int starts = 0;
    while (hit.size() < kills) {
      if (++starts > 3 * kills) {
        throw CdcErrors.noOpenBatch(name, starts - 1, environment.children().log(name));
      }
      // A batch that the last kill left open is run again first: every start makes headway.
      long batch = last("offsets") + 1;
      Process process = start();
      Waiting.until(
          () -> last("offsets") >= batch,
          process,
          name,
          "plan batch " + batch,
          environment.children().log(name));
      if (Waiting.ends(process, Duration.ofMillis(random.nextLong(LATEST_KILL.toMillis())))) {
        throw CdcErrors.ended(name, process.exitValue(), environment.children().log(name));
      }
      environment.children().kill(name, process);
      long planned = last("offsets");
      if (last("commits") < planned) {
        hit.add(planned);
        environment.say(
            "   %s: killed with batch %d open, %,d transactions in"
                .formatted(name, planned, transactions.getAsLong()));
      }
    }
    return hit;
  }

  private Process start() throws IOException {
    List<String> running = new ArrayList<>(command);
    running.addAll(List.of("--trigger=200ms", "--maxRecordsPerBatch=" + mostRecords));
    return environment.children().start(name, environment.job(running));
  }

  /** Runs the job until it has read all that there is; returns its name. */
  String runToTheEnd() throws IOException {
    environment.children().run(name, DONE, environment.job(command));
    return name;
  }

  /** Returns the last entry of the checkpoint, -1 if there is none. */
  private long last(String entries) throws IOException {
    Path directory = checkpoint.resolve(entries);
    if (!Files.isDirectory(directory)) {
      return -1;
    }
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(file -> file.matches("\\d+"))
          .mapToLong(Long::parseLong)
          .max()
          .orElse(-1);
    }
  }
}
