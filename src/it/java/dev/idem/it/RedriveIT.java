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

import dev.idem.pipelines.command.IdemInProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Dead letters go through their job again. */
class RedriveIT {

  private static final String CORRECTED = "--unknownFields=ignore";

  @TempDir Path directory;
  private EventJob job;

  /**
   * Twelve events in three batches, of which e3 and e8 have a field that the schema does not name,
   * as have a copy of e1 and a record without an id; one more record is no JSON.
   */
  @BeforeEach
  void fiveDeadLetters() {
    job = EventJob.in(directory).with("--maxRecordsPerBatch", "8");
    job.send(0, 3);
    job.run().done();
    job.sendValue(more(EventJob.event(3)));
    job.sendValue("no JSON");
    job.send(4, 8);
    job.sendValue(more(EventJob.event(8)));
    job.sendValue(more(EventJob.event(1)));
    job.sendValue("{\"id\":null,\"at\":\"2026-01-01T00:00:00Z\",\"amount\":1,\"more\":1}");
    job.send(9, 12);
    job.run().done();
    assertThat(job.rows(), is(events(0, 1, 2, 4, 5, 6, 7, 9, 10, 11)));
    assertThat(
        deadLetters(),
        contains(
            "10 parse error", "11 parse error", "3 parse error", "4 parse error", "9 parse error"));
  }

  private static String more(String event) {
    return event.replace("}", ",\"more\":1}");
  }

  private static List<String> events(int... ids) {
    List<String> events = new ArrayList<>();
    for (int id : ids) {
      events.add("e" + id + "=" + id * 10);
    }
    return events.stream().sorted().toList();
  }

  /** Returns the dead letters as {@code OFFSET REASON}, sorted. */
  private List<String> deadLetters() {
    return job.deadLetterRows().stream()
        .map(row -> row.getInt64("offset") + " " + row.getString("reason"))
        .sorted()
        .toList();
  }

  private Outcome redrive(String... more) {
    return IdemInProcess.run(
        Stream.concat(
                Stream.of("redrive"),
                job
                    .command(
                        Stream.concat(Stream.of("--reason=parse error"), Stream.of(more))
                            .toArray(String[]::new))
                    .stream())
            .toArray(String[]::new));
  }

  private void assertRedriven() {
    assertThat(job.rows(), is(EventJob.events(0, 12)));
    assertThat(deadLetters(), contains("11 null key", "4 parse error"));
    assertThat(job.rememberedKeys(), is(12L));
  }

  @ParameterizedTest
  @EnumSource
  void deadLettersThatAreRowsNowAreInTheTableOnceAndTheOthersStayOnce(JobRunner runner) {
    String[] options =
        Stream.concat(Stream.of(CORRECTED), runner.options().stream()).toArray(String[]::new);

    Outcome outcome = redrive(options).done();

    assertThat(outcome.out(), containsString("5 dead letters of application kafka-to-delta:"));
    assertRedriven();
    assertThat(job.batches(), contains("0:COMMITTED", "1:COMMITTED", "2:COMMITTED", "3:COMMITTED"));
    assertThat(job.count(3, "read"), is(5L));
    assertThat(job.count(3, "duplicates"), is(1L));
    redrive(CORRECTED).done();
    assertRedriven();
    assertThat(job.count(4, "read"), is(1L));
    job.send(8, 15);
    job.run(CORRECTED).done();
    assertThat(job.rows(), is(EventJob.events(0, 15)));
    assertThat(deadLetters(), contains("11 null key", "4 parse error"));
    assertThat(job.count(5, "duplicates"), is(4L));
  }

  @Test
  void everyCrashIsGoneOnFromUntilEachIsOnceInATable() {
    List<String> before = job.rows();
    List<String> letters = deadLetters();
    String option = "--redrive=parse error";

    for (String point : List.of("after-offsets:3", "before-target-commit:3")) {
      job.crash(point, option, CORRECTED);
      assertThat(point, job.rows(), is(before));
      assertThat(point, deadLetters(), is(letters));
    }
    job.crash("between-targets:3", CORRECTED);
    assertThat(job.rememberedKeys(), is(12L));
    assertThat(job.rows(), is(before));
    assertThat(deadLetters(), is(letters));
    job.crash("between-targets:3", option, CORRECTED);
    assertThat(job.rows(), is(EventJob.events(0, 12)));
    assertThat(deadLetters(), is(letters));
    job.crash("after-target-commit:3", CORRECTED);
    assertRedriven();
    job.run(CORRECTED).done();

    assertRedriven();
    assertThat(job.batches(), contains("0:COMMITTED", "1:COMMITTED", "2:COMMITTED", "3:COMMITTED"));
  }

  @Test
  void nothingIsPlannedWithoutSuchDeadLettersOrWithoutATask() {
    Map<String, Long> versions = job.versions();

    Outcome none = job.run("--redrive=late").done();
    Outcome unknown = job.run("--redrive=bad luck").exits(2);
    Outcome dry = redrive("--dryRun").done();
    Outcome without = IdemInProcess.run("redrive", "kafka-to-delta", "--topics=t").exits(2);

    assertThat(none.out(), containsString("0 dead letters of application"));
    assertThat(unknown.err(), containsString("[parse error, missing field, null key"));
    assertThat(dry.out(), containsString("batch 3 would take them through the job again"));
    assertThat(without.err(), containsString("--reason=REASON"));
    assertThat(job.versions(), is(versions));
  }

  @Test
  void deadLettersOfAnotherApplicationStay() {
    EventJob other = EventJob.in(directory.resolve("other"));
    String[] options = {"--table=" + job.table(), "--applicationId=another"};
    other.send(100, 101);
    other.run(options).done();
    other.sendValue(more(EventJob.event(101)));
    other.run(options).done();

    redrive(CORRECTED).done();

    List<String> rows = new ArrayList<>(EventJob.events(0, 12));
    rows.add("e100=1000");
    assertThat(job.rows(), is(rows.stream().sorted().toList()));
    assertThat(deadLetters(), contains("1 parse error", "11 null key", "4 parse error"));
  }
}
