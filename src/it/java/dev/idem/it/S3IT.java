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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.file.Storage;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.pipelines.targets.DeltaTarget;
import dev.idem.testing.Covers;
import dev.idem.testing.S3Store;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.LongStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs and tables whose every file is in an S3 store; see {@link S3Store} for what that shows. */
class S3IT {

  private static final String SECRET = "n0t-f0r-pr1nt";
  private static final int WRITERS = 2;
  private static final int APPENDS = 15;

  @TempDir private Path directory;

  private S3Store s3;
  private Map<String, String> settings;
  private Path settingsFile;

  @BeforeEach
  void start() throws IOException {
    s3 = S3Store.start();
    Path secret = Files.writeString(directory.resolve("secret"), SECRET + "\n");
    settings = new TreeMap<>(s3.settings());
    settings.put("fs.s3a.access.key", "${file:" + secret + "}");
    settings.put("fs.s3a.secret.key", "${file:" + secret + "}");
    settingsFile = directory.resolve("hadoop.properties");
    Properties properties = new Properties();
    properties.putAll(settings);
    try (var writer = Files.newBufferedWriter(settingsFile)) {
      properties.store(writer, null);
    }
  }

  @AfterEach
  void stop() throws IOException {
    s3.close();
  }

  private EventJob job() throws IOException {
    return EventJob.in(Files.createDirectory(directory.resolve("job")))
        .with("--table", S3Store.location("table"))
        .with("--checkpoint", S3Store.location("checkpoint"))
        .with("--hadoopConfig", settingsFile.toString())
        .with("--leaseTimeout", "15s");
  }

  private List<Row> rows(String path) {
    return DeltaRows.read(path).withHadoopConfiguration(settings).toList();
  }

  private CheckpointView view() {
    try {
      return CheckpointView.read(S3Store.location("checkpoint"), settings);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @Covers.Row({24, 50})
  void jobWithAllItsFilesInS3EndsInTheExactTableAfterTwoCrashes() throws IOException {
    EventJob job = job();
    job.send(0, 15);
    job.send(0, 5);
    job.sendValue("no JSON");
    job.send(15, 24);

    Outcome first = job.fork("--crashAt=before-commits:0").exits(86);
    Outcome second = job.fork("--crashAt=mid-write:1").exits(86);
    Outcome last = job.run().done();

    String table = S3Store.location("table");
    assertThat(
        rows(table).stream()
            .map(row -> row.getValue("id") + "=" + row.getValue("amount"))
            .sorted()
            .toList(),
        is(EventJob.events(0, 24)));
    assertThat(
        rows(DeltaTarget.deadLetterPath(table)).stream()
            .map(row -> row.getString("reason"))
            .toList(),
        is(List.of("parse error")));
    assertThat(
        view().batches().stream().map(each -> each.batch() + ":" + each.state()).toList(),
        is(List.of("0:COMMITTED", "1:COMMITTED", "2:COMMITTED")));
    Outcome inspected =
        IdemInProcess.run(
                "inspect",
                "--checkpoint=" + S3Store.location("checkpoint"),
                "--table=" + table,
                "--hadoopConfig=" + settingsFile)
            .done();
    assertThat(inspected.out(), containsString(" 24 "));

    List<String> said = new ArrayList<>();
    for (Outcome outcome : List.of(first, second, last, inspected)) {
      said.add(outcome.out() + outcome.err());
    }
    assertThat(String.join("\n", said), not(containsString(SECRET)));
    assertThat(s3.filesWith(SECRET), is(empty()));
  }

  @Test
  @Covers.Row({50, 52})
  void secondJobOnACheckpointInS3IsRefusedWhileTheFirstIsAtWork() throws IOException {
    EventJob job = job();
    job.send(0, 5);

    try (JobProcess first = job.start("--trigger=1s")) {
      assertThat(first.output(), first.await(() -> isCommitted(0)), is(true));
      job.run().refused("process " + first.pid());

      first.terminate();
      assertThat(first.output(), first.exitCode(), is(0));
      assertThat(first.output(), not(containsString(SECRET)));
    }

    job.run().done();
    assertThat(
        rows(S3Store.location("table")).stream().map(row -> row.getString("id")).sorted().toList(),
        is(List.of("e0", "e1", "e2", "e3", "e4")));
  }

  private boolean isCommitted(long batch) {
    try {
      return Storage.at("Checkpoint", S3Store.location("checkpoint"), settings)
          .find("commits/" + batch)
          .isPresent();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void rivalWritersOfATableInS3LoseNoCommit() throws Exception {
    String path = S3Store.location("rivals");
    Schema schema = Schema.builder().addInt64Field("id").build();
    DataFileSpec spec =
        DataFileSpec.of(path, DeltaSchemas.toJson(schema)).withHadoopConfiguration(settings);
    ExecutorService threads = Executors.newFixedThreadPool(WRITERS);
    List<Future<Void>> writers = new ArrayList<>();
    for (int writer = 0; writer < WRITERS; writer++) {
      long from = (long) writer * APPENDS;
      writers.add(
          threads.submit(
              () -> {
                DeltaTable table = DeltaTable.at(path, settings);
                for (long id = from; id < from + APPENDS; id++) {
                  try (DataFileWriter files = DataFileWriter.open(spec)) {
                    files.write(Row.withSchema(schema).addValue(id).build());
                    table.append(spec.schemaJson(), List.of(), files.finish());
                  }
                }
                return null;
              }));
    }
    for (Future<Void> writer : writers) {
      writer.get();
    }
    threads.shutdown();

    assertThat(
        rows(path).stream().map(row -> row.getInt64("id")).sorted().toList(),
        is(LongStream.range(0, (long) WRITERS * APPENDS).boxed().toList()));
    assertThat(
        DeltaTable.at(path, settings).state().orElseThrow().version(),
        is((long) WRITERS * APPENDS));
  }
}
