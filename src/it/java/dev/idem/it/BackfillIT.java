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
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.testing.Covers.Row;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions of a job's table are filled anew from another topic while the job lives on. */
class BackfillIT {

  @TempDir Path directory;
  private EventJob job;
  private String corrected;

  /** Four days of two events each; the second event of each day has a wrong amount. */
  @BeforeEach
  void jobHasFourDays() {
    job = EventJob.in(directory).with("--partitionBy", "day").with("--maxRecordsPerBatch", "3");
    send(job.topic, "1:a:10", "1:b:-1", "2:c:20", "2:d:-1", "3:e:30", "3:f:-1", "4:g:40", "4:h:-1");
    job.run().done();
    assertThat(
        rows(),
        is(
            List.of(
                "1:a:10", "1:b:-1", "2:c:20", "2:d:-1", "3:e:30", "3:f:-1", "4:g:40", "4:h:-1")));
    corrected = "corrected-" + UUID.randomUUID();
    job.broker.createTopic(corrected, 1, Map.of());
  }

  /** Sends events, each given as {@code DAY:ID:AMOUNT}. */
  private void send(String topic, String... events) {
    job.broker.sendAll(
        Stream.of(events)
            .map(event -> event.split(":"))
            .map(
                event ->
                    "{\"id\":\"%s\",\"at\":\"%s\",\"day\":\"2026-01-0%s\",\"amount\":%s}"
                        .formatted(event[1], EventJob.FIRST, event[0], event[2]))
            .map(
                value ->
                    new ProducerRecord<byte[], byte[]>(
                        topic, 0, null, value.getBytes(StandardCharsets.UTF_8)))
            .toList());
  }

  private List<String> rows() {
    return DeltaRows.read(job.table().toString()).toList().stream()
        .map(
            row ->
                row.getString("day").substring(9)
                    + ":"
                    + row.getString("id")
                    + ":"
                    + row.getInt64("amount"))
        .sorted()
        .toList();
  }

  private List<String> command(String... more) {
    Map<String, String> options = new TreeMap<>();
    options.put("--bootstrapServers", job.broker.bootstrapServers());
    options.put("--topics", corrected);
    options.put("--table", job.table().toString());
    options.put("--from", "2026-01-02");
    options.put("--to", "2026-01-03");
    options.put("--keys", "id");
    List<String> command = new ArrayList<>(List.of("backfill"));
    for (String option : more) {
      options.remove(option.replaceFirst("=.*", ""));
      command.add(option);
    }
    options.forEach((name, value) -> command.add(name + "=" + value));
    return command;
  }

  private Outcome backfill(String... more) {
    return IdemInProcess.run(command(more).toArray(String[]::new));
  }

  /** Returns every file of the table's directory with its bytes. */
  private Map<String, String> bytes() {
    Map<String, String> bytes = new TreeMap<>();
    try (Stream<Path> files = Files.walk(job.table())) {
      files
          .filter(Files::isRegularFile)
          .forEach(
              file ->
                  bytes.put(
                      job.table().relativize(file).toString(),
                      HexFormat.of().formatHex(EventJob.bytes(file))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes;
  }

  /** Returns how many data files lie in the table's directory without being in the table. */
  private long orphans() {
    List<String> held =
        DeltaTable.at(job.table().toString(), Map.of()).files().stream()
            .map(DataFile::path)
            .map(path -> path.substring(path.lastIndexOf('/') + 1))
            .toList();
    return bytes().keySet().stream()
        .filter(name -> name.endsWith(".parquet") && !name.startsWith("_"))
        .filter(name -> !held.contains(name.substring(name.lastIndexOf('/') + 1)))
        .count();
  }

  private static final List<String> DONE =
      List.of("1:a:10", "1:b:-1", "2:c:20", "2:d:25", "3:e:30", "3:f:35", "4:g:40", "4:h:-1");

  @ParameterizedTest
  @EnumSource
  @Row({1})
  void backfillThatIsRunAgainIsOneBackfillAndTheJobGoesOn(JobRunner runner) throws IOException {
    send(corrected, "2:c:20", "2:d:25", "3:e:30", "3:f:35", "2:d:25");
    String[] options = runner.options().toArray(String[]::new);

    Outcome first = backfill(options).done();
    Map<String, String> bytes = bytes();
    Outcome second = backfill(options).done();

    assertThat(first.out(), containsString("read 5, rows 4, duplicates 1, left out 0"));
    assertThat(rows(), is(DONE));
    assertThat(second.out(), containsString("hold this input already; nothing is written"));
    assertThat(bytes(), is(bytes));
    assertThat(
        Listing.of(directory).stream().map(path -> path.getFileName().toString()).toList(),
        contains("checkpoint", "table", "table_dead_letter", "table_memory"));
    send(job.topic, "4:i:45", "2:d:-1");
    job.run().done();
    List<String> all = new ArrayList<>(DONE);
    all.add("4:i:45");
    assertThat(rows(), is(all));
    assertThat(job.batches(), contains("0:COMMITTED", "1:COMMITTED", "2:COMMITTED", "3:COMMITTED"));
    assertThat(job.deadLetterRows(), is(List.of()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"mid-write", "after-write", "before-target-commit"})
  void crashBeforeTheCommitLeavesTheTableAndTheNextRunDoesIt(String point) {
    send(corrected, "2:c:20", "2:d:25", "3:e:30", "3:f:35");
    List<String> before = rows();

    Forked.idem(command("--crashAt=" + point)).exits(86);
    assertThat(rows(), is(before));
    backfill().done();

    assertThat(rows(), is(DONE));
  }

  @Test
  void crashAfterTheCommitIsFoundByTheNextRun() {
    send(corrected, "2:c:20", "2:d:25", "3:e:30", "3:f:35");

    Forked.idem(command("--crashAt=after-target-commit")).exits(86);
    assertThat(rows(), is(DONE));
    Map<String, String> bytes = bytes();
    backfill().done();

    assertThat(bytes(), is(bytes));
  }

  @Test
  void moreInputReplacesThePartitionsAnew() {
    send(corrected, "2:c:20", "2:d:25", "3:e:30", "3:f:35");
    backfill().done();
    send(corrected, "3:x:36");
    backfill().done();

    List<String> all = new ArrayList<>(DONE);
    all.add(6, "3:x:36");
    assertThat(rows(), is(all));
    backfill("--to=2026-01-02", "--from=2026-01-02").refused("a row with {day=2026-01-03}");
    assertThat(rows(), is(all));
  }

  @Test
  void rowOutsideIsRefusedByItsValueAndNothingIsLeft() {
    send(corrected, "2:c:20", "2:d:25", "4:g:41");
    Map<String, String> bytes = bytes();

    backfill().refused("a row with {day=2026-01-04}", "day >= 2026-01-02 and day <= 2026-01-03");

    assertThat(bytes(), is(bytes));
    assertThat(orphans(), is(0L));
  }

  @Test
  void recordsThatAreNoRowsEndABackfillUnlessTheyAreAllowed() {
    send(corrected, "2:c:20", "2:d:25", "3:e:30", "3:f:35", "2:c:21");
    job.broker.sendAll(
        List.of(
            new ProducerRecord<byte[], byte[]>(
                corrected, 0, null, "no JSON".getBytes(StandardCharsets.UTF_8))));
    Map<String, String> bytes = bytes();

    backfill().failed("at most 0.0% of a backfill, but 2 of 6 are", "--maxDeadLetters");

    assertThat(bytes(), is(bytes));
    Outcome allowed = backfill("--maxDeadLetters=34%").done();
    assertThat(allowed.out(), containsString("rows 4, duplicates 0, left out 2"));
    assertThat(rows(), is(DONE));
    assertThat(job.deadLetterRows(), is(List.of()));
  }

  @Test
  void whatCannotBeBackfilledIsSaidAtTheStart() {
    Map<String, String> bytes = bytes();
    Path absent = directory.resolve("absent");

    backfill().failed("must hold a record, but holds none");
    send(corrected, "2:c:20");
    backfill("--table=" + absent).exits(2);
    Outcome column = backfill("--partitionColumn=amount").exits(2);
    Outcome backwards = backfill("--from=2026-01-04").exits(2);
    Outcome dry = backfill("--dryRun").done();

    assertThat(column.err(), containsString("one of the partition columns [day]"));
    assertThat(backwards.err(), containsString("from 2026-01-04 to 2026-01-03"));
    assertThat(
        dry.out(),
        containsString(
            "partitions with day >= 2026-01-02 and day <= 2026-01-03 would be replaced, which hold"
                + " 3 files now"));
    assertThat(Files.exists(absent), is(false));
    assertThat(bytes(), is(bytes));
  }
}
