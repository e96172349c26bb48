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
package dev.idem.pipelines.inspect;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.checkpoint.BatchCommit;
import dev.idem.io.checkpoint.Checkpoint;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.memory.MemoryTable;
import dev.idem.testing.Covers;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.ContentSum;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class InspectTest {

  private static final Instant NOW = Instant.parse("2025-01-06T08:00:00Z");
  private static final Clock CLOCK = Clock.fixed(NOW, ZoneOffset.UTC);
  private static final String APPLICATION = "shop:orders";
  private static final Schema ROWS = Schema.builder().addInt64Field("id").build();
  private static final ObjectMapper MAPPER = new ObjectMapper();

  @TempDir Path root;

  @Test
  @Covers.Row(23)
  void textShowsEveryBatchOfACheckpointThatAJobHolds() throws IOException {
    try (Checkpoint checkpoint = threeBatches()) {
      String text = inspect();

      String epoch = checkpoint.epoch();
      String process = checkpoint.lease().owner().toString();
      assertThat(
          text,
          is(
              """
              checkpoint      %s
              application id  shop:orders
              epoch           %s, since 2025-01-06T08:00:00Z
              bound options   --format=json --keys=id
              lease           generation 1, held, running: %s
              bytes           commits %,d, lease %,d, offsets %,d, staging 7

              batch  state       read  rows  duplicates  late  conflicts  invalid  filtered  commit share  watermark before      watermark after       targets skipped
                  0  committed  1,200   900         200    50         30       20         0         25.0%%  -                     2025-01-06T08:01:00Z  -
                  1  committed  1,200   900         200    50         30       20         0         25.0%%  2025-01-06T08:00:00Z  2025-01-06T08:01:00Z  dead-letters, table
                  2  planned        -     -           -     -          -        -         -             -  2025-01-06T08:00:00Z  -                     -

              batch  offsets
                  0  orders-0 0..1000  orders-1 0..200
                  1  orders-0 1000..2000  orders-1 200..400
                  2  orders-0 2000..3000  orders-1 400..600

              batch  note
                  1  changed content of table: 01 then 02
              """
                  .formatted(
                      checkpointPath(),
                      epoch,
                      process,
                      size("commits"),
                      size("lease"),
                      size("offsets"))));
    }
    assertThat(inspect(), containsString("lease           generation 1, released: process "));
  }

  @Test
  void jsonHoldsTheSameForPrograms() throws IOException {
    try (Checkpoint checkpoint = threeBatches()) {
      JsonNode json = MAPPER.readTree(inspect("--json"));

      String plan = checkpoint.plan(1).orElseThrow().fingerprint();
      assertThat(json.get("applicationId").asText(), is(APPLICATION));
      assertThat(json.get("epoch").asText(), is(checkpoint.epoch()));
      assertThat(json.get("boundOptions"), is(tree("{'format':'json','keys':'id'}")));
      assertThat(json.get("lease").get("state").asText(), is("running"));
      assertThat(json.get("damage"), is(tree("[]")));
      assertThat(json.get("batches").size(), is(3));
      assertThat(
          json.get("batches").get(1),
          is(
              tree(
                  """
                  {'batch':1,'state':'committed','damage':[],'clock':'2025-01-06T08:00:00Z',
                   'lease':1,'planFingerprint':'%s','shards':4,'watermark':'2025-01-06T08:00:00Z',
                   'offsets':[{'topic':'orders','partition':0,'start':1000,'end':2000},
                              {'topic':'orders','partition':1,'start':200,'end':400}],
                   'counts':{'conflicts':30,'duplicates':200,'invalid':20,'late':50,'read':1200,
                             'rows':900},
                   'outputs':{'dead-letters':{'rows':100,'content':'%s'},
                              'table':{'rows':900,'content':'%s'}},
                   'watermarkAfter':'2025-01-06T08:01:00Z',
                   'milliseconds':{'apply':250,'stage':750},'commitShare':0.25,
                   'skippedTargets':['dead-letters','table'],
                   'notes':{'changed content of table':'01 then 02'}}
                  """
                      .formatted(plan, new ContentSum(0, 2), new ContentSum(0, 1)))));
      assertThat(json.get("batches").get(2).get("state").asText(), is("planned"));
      assertThat(json.has("tables"), is(false));
    }
  }

  @Test
  void nothingIsWrittenOrTakenFromTheJob() throws IOException {
    try (Checkpoint checkpoint = threeBatches()) {
      commit("table", root.resolve("orders"), ROWS, 1, Row.withSchema(ROWS).addValue(1L).build());
      Map<String, Instant> before = files();

      inspect("--table=" + root.resolve("orders"));

      assertThat(files(), is(before));
      checkpoint.lease().assertHeld();
    }
  }

  @Test
  void damagedEntriesAreNamedAndTheRestIsShown() throws IOException {
    threeBatches().close();
    Files.write(checkpointPath().resolve("commits/0"), new byte[0]);
    Files.writeString(checkpointPath().resolve("offsets/1"), "?\n");
    Files.write(checkpointPath().resolve("metadata"), new byte[] {1});

    String text = inspect();
    JsonNode json = MAPPER.readTree(inspect("--json"));

    String metadata = checkpointPath().resolve("metadata") + ": without a header line";
    assertThat(text, containsString("DAMAGED     " + metadata + "\n"));
    assertThat(
        text,
        containsString(
            """
            batch  note
                0  DAMAGED commits/0: empty
                1  DAMAGED offsets/1: without a header line
                1  changed content of table: 01 then 02
            """));
    assertThat(json.get("damage").get(0).asText(), is(metadata));
    assertThat(json.get("batches").get(0).get("state").asText(), is("damaged"));
    assertThat(json.get("batches").get(0).get("damage"), is(tree("['commits/0: empty']")));
    assertThat(json.get("batches").get(2).get("state").asText(), is("planned"));
  }

  @Test
  void tablesTellWhichBatchTheyHoldOfThisApplicationOnly() throws IOException {
    threeBatches().close();
    Path table = root.resolve("orders");
    Row row = Row.withSchema(ROWS).addValue(1L).build();
    commit(APPLICATION + "/table", table, ROWS, 0, row, row);
    commit(APPLICATION + "/table", table, ROWS, 1, row);
    commit("other/table", table, ROWS, 7, row);
    Path memory = root.resolve("orders_memory").resolve("shop%003aorders");
    commit(
        APPLICATION + "/memory",
        memory,
        MemoryTable.SCHEMA,
        1,
        remembered(5, NOW),
        remembered(5, NOW.plusSeconds(1)),
        remembered(6, NOW));

    String text = inspect("--table=" + table + "/");
    JsonNode tables = MAPPER.readTree(inspect("--table=" + table, "--json")).get("tables");

    assertThat(
        text.substring(text.indexOf("\ntable  ")).lines().map(InspectTest::cells).toList(),
        is(
            List.of(
                "",
                "table|version|rows|keys|files|bytes|sink|holds batch",
                "rows|3|4|-|3|" + bytes(table) + "|shop:orders/table|1",
                "dead letters|-|-|-|-|-|absent|-",
                "memory|1|3|2|1|" + bytes(memory) + "|shop:orders/memory|1",
                "",
                "rows at " + table,
                "dead letters at " + table + "_dead_letter",
                "memory at " + memory)));
    assertThat(
        tables.get(0).get("sinks"),
        is(
            tree(
                """
                [{'sink':'shop:orders/table','batch':1,'epoch':'','planFingerprint':'plan-1',
                  'content':'content-1'}]
                """)));
    assertThat(tables.get(1).get("exists").asBoolean(), is(false));
    assertThat(tables.get(2).get("keys").asInt(), is(2));
    assertThat(tables.get(2).get("files").asInt(), is(1));
  }

  @Test
  void filesThatAJobDeletesWhileTheyAreReadAreReadAnew() throws IOException {
    Path memory = root.resolve("memory");
    commit("app/memory", memory, MemoryTable.SCHEMA, 1, remembered(5, NOW), remembered(6, NOW));
    DataFile file = DeltaTable.at(memory.toString(), Map.of()).files().get(0);
    Path aside = root.resolve("aside");
    Files.move(memory.resolve(file.path()), aside);
    AtomicInteger reads = new AtomicInteger();

    var gone =
        assertThrows(RuntimeException.class, () -> TableView.reading(() -> rows(memory, () -> {})));
    int rows =
        TableView.reading(
            () ->
                rows(
                    memory,
                    () -> {
                      if (reads.incrementAndGet() == 3) {
                        Files.move(aside, memory.resolve(file.path()));
                      }
                    }));

    Throwable root = gone;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    assertThat(root.getMessage(), is(memory.resolve(file.path()).toString()));
    assertThat(rows, is(2));
    assertThat(reads.get(), is(3));
  }

  private interface Before {
    void run() throws IOException;
  }

  private static int rows(Path table, Before before) {
    try {
      before.run();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return DeltaRows.read(table.toString()).toList().size();
  }

  private static String cells(String line) {
    return line.strip().replaceAll(" {2,}", "|");
  }

  private static String bytes(Path table) {
    long bytes =
        DeltaTable.at(table.toString(), Map.of()).files().stream().mapToLong(DataFile::size).sum();
    return String.format(Locale.ROOT, "%,d", bytes);
  }

  private static Row remembered(long key, Instant expiry) {
    return MemoryTable.row(
        new Remembered(
            new Fingerprint(key, key),
            1,
            org.joda.time.Instant.ofEpochMilli(expiry.toEpochMilli())),
        1);
  }

  private static void commit(String sink, Path table, Schema schema, long batch, Row... rows)
      throws IOException {
    String json = DeltaSchemas.toJson(schema);
    List<DataFile> files;
    try (DataFileWriter writer = DataFileWriter.open(DataFileSpec.of(table.toString(), json))) {
      for (Row row : rows) {
        writer.write(row);
      }
      files = writer.finish();
    }
    DeltaTable.at(table.toString(), Map.of())
        .commit(
            DeltaCommit.of(sink, batch, "plan-" + batch, "content-" + batch, json)
                .withFiles(files));
  }

  /** Two batches that are done, one that is planned; the lease is held. */
  private Checkpoint threeBatches() throws IOException {
    Checkpoint checkpoint = Checkpoint.open(checkpointPath().toString(), APPLICATION, CLOCK);
    checkpoint.bind(Map.of("keys", "id", "format", "json"));
    for (long batch = 0; batch < 3; batch++) {
      Plan plan = plan(checkpoint, batch);
      checkpoint.publishPlan(plan);
      if (batch < 2) {
        checkpoint.publishCommit(done(plan));
      }
    }
    checkpoint.staging().publish(2, "run", "{\"a\":1}");
    return checkpoint;
  }

  private static Plan plan(Checkpoint checkpoint, long batch) {
    return new Plan(
        APPLICATION,
        batch,
        checkpoint.epoch(),
        checkpoint.lease().generation(),
        NOW,
        Map.of("cluster", "c"),
        List.of(
            new Plan.Range("orders", 0, 1000 * batch, 1000 * (batch + 1), -1),
            new Plan.Range("orders", 1, 200 * batch, 200 * (batch + 1), -1)),
        batch == 0 ? Optional.empty() : Optional.of(NOW),
        List.of(),
        DeltaSchemas.toJson(ROWS),
        Map.of("keys", "id"),
        4,
        1);
  }

  private static BatchCommit done(Plan plan) {
    Summary summary =
        new Summary(
            plan.batch(),
            Map.of(
                "table", new Summary.Output(900, new ContentSum(0, 1)),
                "dead-letters", new Summary.Output(100, new ContentSum(0, 2))),
            Map.of(
                "read",
                1200L,
                "rows",
                900L,
                "duplicates",
                200L,
                "late",
                50L,
                "conflicts",
                30L,
                "invalid",
                20L),
            List.of(),
            Optional.of(NOW.plusSeconds(60)),
            "");
    boolean replayed = plan.batch() == 1;
    return new BatchCommit(
        summary,
        APPLICATION,
        plan.epoch(),
        plan.fingerprint(),
        Map.of("stage", Duration.ofMillis(750), "apply", Duration.ofMillis(250)),
        0.25,
        replayed ? List.of("dead-letters", "table") : List.of(),
        replayed ? Map.of("changed content of table", "01 then 02") : Map.of());
  }

  private Path checkpointPath() {
    return root.resolve("checkpoint");
  }

  private long size(String directory) throws IOException {
    try (Stream<Path> files = Files.list(checkpointPath().resolve(directory))) {
      long bytes = 0;
      for (Path file : files.toList()) {
        bytes += Files.size(file);
      }
      return bytes;
    }
  }

  /** Returns every file below the root with the time at which it was last written. */
  private Map<String, Instant> files() throws IOException {
    Map<String, Instant> files = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path file : all.toList()) {
        if (!file.getFileName().toString().endsWith(".beat")) {
          files.put(root.relativize(file).toString(), Files.getLastModifiedTime(file).toInstant());
        }
      }
    }
    return files;
  }

  private String inspect(String... more) {
    StringWriter out = new StringWriter();
    CommandLine command = new CommandLine(new Inspect()).setOut(new PrintWriter(out));
    String[] arguments =
        Stream.concat(Stream.of("--checkpoint=" + checkpointPath()), Stream.of(more))
            .toArray(String[]::new);
    assertThat(command.execute(arguments), is(0));
    return out.toString();
  }

  private static JsonNode tree(String json) throws JsonProcessingException {
    return MAPPER.readTree(json.replace('\'', '"'));
  }
}
