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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.event.MapRows;
import dev.idem.pipelines.targets.DeltaTarget;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A target that the rows do not fit is refused while nothing holds the batch. */
class TargetFitTest {

  private static final String INTEGERS =
      "{\"type\":\"struct\",\"fields\":[{\"name\":\"id\",\"type\":\"integer\",\"nullable\":true,"
          + "\"metadata\":{}}]}";

  private static final AtomicBoolean FAILING = new AtomicBoolean();

  @TempDir Path root;

  private final Numbers numbers = new Numbers();

  @BeforeEach
  void threeNumbers() {
    FAILING.set(false);
    numbers.holding(3);
  }

  @Test
  void tableWithAnotherTypeIsRefusedBeforeThePlan() throws IOException {
    table("numbers", INTEGERS);

    Said said = refusedBeforeThePlan(job(target("numbers")));

    assertThat(said.err(), is("idem: " + otherType("numbers") + "\n"));
    assertThat(run(job(target("others"))).exit(), is(Job.DONE));
    assertThat(Numbers.in(root.resolve("others")), is(List.of(0L, 1L, 2L)));
  }

  @Test
  void furtherTargetIsRefusedBeforeThePlan() throws IOException {
    table("further", INTEGERS);

    Said said =
        refusedBeforeThePlan(
            Job.named("numbers").from(numbers).into(target("numbers"), target("further")));

    assertThat(said.err(), is("idem: " + otherType("further") + "\n"));
  }

  @Test
  void deadLetterTableOfAnotherMakeIsRefusedBeforeThePlan() throws IOException {
    table("numbers_dead_letter", INTEGERS);

    refusedBeforeThePlan(job(target("numbers")));
  }

  @Test
  void columnNameThatNoTableCanHaveIsRefusedBeforeThePlan() throws IOException {
    Schema bad = Schema.builder().addInt64Field("first name").build();
    Schema good = Schema.builder().addInt64Field("first_name").build();

    Said said = refusedBeforeThePlan(renamed(bad, target("numbers")));

    assertThat(
        said.err(),
        is(
            "idem: Table \""
                + root.resolve("numbers")
                + "\" cannot be created. Column name must be without spaces, tabs, line ends and any"
                + " of ,;{}()= but was: \"first name\". Rename the column, or leave it out of the"
                + " schema.\n"));
    assertThat(tables(), is(Map.of()));
    assertThat(run(renamed(good, target("numbers"))).exit(), is(Job.DONE));
  }

  @Test
  void partitionColumnThatTheRowsLackIsRefusedBeforeThePlan() throws IOException {
    Said said = refusedBeforeThePlan(job(target("numbers").withPartitionColumns("day")));

    assertThat(
        said.err(),
        is(
            "idem: Table \""
                + root.resolve("numbers")
                + "\" cannot be created. Partition column must be a column of the table, named once,"
                + " but was: \"day\". Give one of [id].\n"));
    assertThat(tables(), is(Map.of()));
  }

  @Test
  void nothingIsBoundByARefusedStart() throws IOException {
    table("numbers", INTEGERS);
    run(
        Job.named("numbers")
            .from(numbers)
            .through((batch, events) -> events.apply(batch.deduplicateBy("id")))
            .into(target("numbers")));

    assertThat(run(job(target("others"))).exit(), is(Job.DONE));
  }

  @Test
  void pendingBatchIsRefusedBeforeItIsStagedOrReplanned() throws IOException {
    leavePending();
    table("numbers", INTEGERS);
    Map<String, Long> before = tables();
    byte[] plan = Files.readAllBytes(root.resolve("checkpoint/offsets/0"));

    Said same = run(failing(target("numbers")));
    Said replanned = run(failing(target("numbers")), "--watermarkDelay=1m");
    Said dry = run(failing(target("numbers")), "--dryRun");

    Said refused = new Said(Job.REFUSED, List.of(), "idem: " + otherType("numbers") + "\n");
    assertThat(same, is(refused));
    assertThat(replanned, is(refused));
    assertThat(new Said(dry.exit(), List.of(), dry.err()), is(refused));
    assertThat(tables(), is(before));
    assertThat(Files.readAllBytes(root.resolve("checkpoint/offsets/0")), is(plan));
    assertThat(run(failing(target("others"))).exit(), is(Job.DONE));
    assertThat(Numbers.in(root.resolve("others")), is(List.of(0L, 1L, 2L)));
  }

  @Test
  void tableThatChangedSinceTheLastBatchIsRefusedBeforeTheNextIsPlanned() throws IOException {
    run(job(target("numbers")));
    numbers.holding(5);
    changeType("numbers");
    Map<String, Long> before = tables();

    Said said = run(job(target("numbers")));

    assertThat(said.err(), is("idem: " + otherType("numbers") + "\n"));
    assertThat(planned(), is(List.of("0")));
    assertThat(tables(), is(before));
  }

  @Test
  void dryRunRefusesWhatAStartRefuses() throws IOException {
    table("numbers", INTEGERS);

    Said said = run(job(target("numbers")), "--dryRun");

    assertThat(said.exit(), is(Job.REFUSED));
    assertThat(said.err(), is("idem: " + otherType("numbers") + "\n"));
  }

  private Said refusedBeforeThePlan(Job job) throws IOException {
    Map<String, Long> before = tables();
    Said said = run(job);
    assertThat(said.exit(), is(Job.REFUSED));
    assertThat(planned(), is(List.of()));
    assertThat(tables(), is(before));
    return said;
  }

  private Job job(DeltaTarget target) {
    return Job.named("numbers").from(numbers).into(target);
  }

  private Job renamed(Schema schema, DeltaTarget target) {
    return Job.named("numbers")
        .from(numbers)
        .through(
            (batch, events) ->
                events.apply(
                    MapRows.into(schema)
                        .via(row -> Row.withSchema(schema).addValues(row.getValues()).build())))
        .into(target);
  }

  /** A job whose batches fail as long as {@link #FAILING} is set. */
  private Job failing(DeltaTarget target) {
    return Job.named("numbers")
        .from(numbers)
        .through(
            (batch, events) ->
                events.apply(
                    MapRows.into(Numbers.SCHEMA)
                        .via(
                            row -> {
                              if (FAILING.get()) {
                                throw new IllegalStateException("asked to fail");
                              }
                              return row;
                            })))
        .into(target);
  }

  private void leavePending() {
    FAILING.set(true);
    assertThat(run(failing(target("numbers"))).exit(), is(Job.FAILED));
    FAILING.set(false);
  }

  private Said run(Job job, String... more) {
    return Said.by(job, root.resolve("checkpoint"), more);
  }

  private DeltaTarget target(String name) {
    return DeltaTarget.at(name, root.resolve(name).toString());
  }

  private void table(String name, String schema) {
    DeltaTable.at(root.resolve(name).toString(), Map.of()).append(schema, List.of(), List.of());
  }

  /** Does what an ALTER TABLE of another engine does that makes the column an integer. */
  private void changeType(String name) throws IOException {
    Path log = root.resolve(name).resolve("_delta_log");
    List<String> metadata =
        Files.readAllLines(log.resolve("%020d.json".formatted(0))).stream()
            .filter(line -> line.startsWith("{\"metaData\""))
            .map(line -> line.replace("long", "integer"))
            .toList();
    Files.write(log.resolve("%020d.json".formatted(2)), metadata);
  }

  private List<String> planned() throws IOException {
    try (Stream<Path> entries = Files.list(root.resolve("checkpoint/offsets"))) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    }
  }

  /** Returns the version of every table there is. */
  private Map<String, Long> tables() throws IOException {
    Map<String, Long> versions = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path log : all.filter(path -> path.endsWith("_delta_log")).toList()) {
        String table = log.getParent().toString();
        versions.put(
            root.relativize(log.getParent()).toString(),
            DeltaTable.at(table, Map.of()).state().orElseThrow().version());
      }
    }
    return versions;
  }

  private String otherType(String name) {
    return "Column \"id\" must be of type integer as in table \""
        + root.resolve(name)
        + "\", but was: long. Convert it before the write, or give the rows the table's schema.";
  }
}
