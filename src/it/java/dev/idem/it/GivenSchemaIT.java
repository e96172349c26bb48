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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.table.DeltaCommit;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.values.Row;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table of a given schema, with all types, partitions and metadata columns. */
class GivenSchemaIT {

  private static final String SCHEMA =
      """
      {"type":"struct","fields":[
      {"name":"id","type":"string","nullable":false,"metadata":{}},
      {"name":"count","type":"integer","nullable":true,"metadata":{}},
      {"name":"total","type":"long","nullable":true,"metadata":{}},
      {"name":"ratio","type":"double","nullable":true,"metadata":{}},
      {"name":"paid","type":"boolean","nullable":true,"metadata":{}},
      {"name":"at","type":"timestamp","nullable":true,"metadata":{}},
      {"name":"day","type":"date","nullable":true,"metadata":{}},
      {"name":"price","type":"decimal(10,2)","nullable":true,"metadata":{}},
      {"name":"raw","type":"binary","nullable":true,"metadata":{}}]}
      """;

  @TempDir Path directory;

  private EventJob job() throws IOException {
    Path schema = Files.writeString(directory.resolve("schema.json"), SCHEMA);
    return EventJob.in(directory)
        .with("--eventTime", null)
        .with("--schema", schema.toString())
        .with("--partitionBy", "day")
        .with("--metadataColumns", "topic,partition,offset,timestamp,key,headers,batch_id");
  }

  private static void send(EventJob job, String key, String json) {
    ProducerRecord<byte[], byte[]> record =
        new ProducerRecord<>(
            job.topic,
            0,
            1_700_000_000_123L,
            key == null ? null : key.getBytes(UTF_8),
            json.getBytes(UTF_8),
            List.of(new RecordHeader("h", new byte[] {1}), new RecordHeader("h", null)));
    job.broker.send(record);
  }

  @Test
  void everyTypeArrivesAsItWasSent() throws IOException {
    EventJob job = job();
    send(
        job,
        "k",
        """
        {"id":"a","count":-2147483648,"total":9223372036854775807,"ratio":0.1,"paid":true,
        "at":"1969-12-31T23:59:59.999999Z","day":"2024-02-29","price":12345678.9,"raw":"AP8="}""");
    send(job, null, "{\"id\":\"b\"}");
    send(job, null, "{\"count\":1}");
    send(job, null, "{\"id\":\"c\",\"price\":0.001}");

    job.run().done();

    List<Row> rows = DeltaRows.read(job.table().toString()).toList();
    Row full =
        rows.stream().filter(row -> row.getString("id").equals("a")).findFirst().orElseThrow();
    assertThat(
        List.<Object>of(
            full.getValue("count"),
            full.getValue("total"),
            full.getValue("ratio"),
            full.getValue("paid"),
            full.getValue("at"),
            full.getValue("day"),
            full.getValue("price"),
            Base64.getEncoder().encodeToString(full.getBytes("raw"))),
        is(
            List.<Object>of(
                Integer.MIN_VALUE,
                Long.MAX_VALUE,
                0.1,
                true,
                Instant.parse("1969-12-31T23:59:59.999999Z"),
                LocalDate.of(2024, 2, 29),
                new BigDecimal("12345678.90"),
                "AP8=")));
    assertThat(
        List.<Object>of(
            full.getValue("_topic"),
            full.getValue("_partition"),
            full.getValue("_offset"),
            full.getValue("_timestamp"),
            new String(full.getBytes("_key"), UTF_8),
            full.getValue("_headers"),
            full.getValue("_batch_id")),
        is(
            List.<Object>of(
                job.topic,
                0,
                0L,
                Instant.ofEpochMilli(1_700_000_000_123L),
                "k",
                "[{\"name\":\"h\",\"value\":\"AQ==\"},{\"name\":\"h\",\"value\":null}]",
                0L)));
    Row bare =
        rows.stream().filter(row -> row.getString("id").equals("b")).findFirst().orElseThrow();
    assertThat(bare.getValues().subList(1, 9).stream().allMatch(value -> value == null), is(true));
    assertThat(rows.size(), is(2));
    assertThat(
        DeadLetter.of(job).stream().map(each -> each.reason() + " " + each.column()).toList(),
        containsInAnyOrder("missing field id", "parse error price"));
    assertThat(
        DeltaTable.at(job.table().toString(), Map.of()).state().orElseThrow().partitionColumns(),
        contains("day"));
  }

  @Test
  void firstBatchThatTheSchemaCannotReadIsNotPlanned() throws IOException {
    EventJob job = job();
    send(job, null, "{\"id\":1.5,\"count\":\"many\"}");
    send(job, null, "{}");

    job.run().failed("The first batch must hold a record", job.topic);

    assertThat(job.batches(), is(empty()));
    assertThat(Files.exists(job.table()), is(false));
  }

  @Test
  void tableThatTheInferredSchemaDoesNotFitIsRefusedUntilItsSchemaIsGiven() throws IOException {
    EventJob job = EventJob.in(directory);
    String schema =
        """
        {"type":"struct","fields":[
        {"name":"id","type":"string","nullable":true,"metadata":{}},
        {"name":"at","type":"timestamp","nullable":true,"metadata":{}},
        {"name":"amount","type":"integer","nullable":true,"metadata":{}}]}
        """;
    DeltaTable.at(job.table().toString(), Map.of()).append(schema, List.of(), List.of());
    job.send(0, 5);
    job.sendValue("no JSON");

    job.run().refused("Column \"at\" must be of type timestamp", "but was: string");

    assertThat(job.batches(), is(empty()));
    assertThat(Files.exists(job.deadLetters()), is(false));
    Path file = Files.writeString(directory.resolve("schema.json"), schema);
    job.run("--schema=" + file).done();
    assertThat(job.rows(), is(EventJob.events(0, 5)));
    assertThat(job.deadLetterRows().size(), is(1));
  }

  @Test
  void fieldWhoseNameNoTableCanHaveIsRefusedUntilASchemaLeavesItOut() throws IOException {
    EventJob job = EventJob.in(directory);
    job.sendValue(
        "{\"id\":\"e1\",\"at\":\"2026-01-01T00:00:00Z\",\"amount\":10,\"first name\":\"A\"}");

    job.run().refused("cannot be created", "but was: \"first name\"");

    assertThat(job.batches(), is(empty()));
    assertThat(Files.exists(job.deadLetters()), is(false));
    Path file =
        Files.writeString(
            directory.resolve("schema.json"),
            """
            {"type":"struct","fields":[
            {"name":"id","type":"string","nullable":true,"metadata":{}},
            {"name":"at","type":"timestamp","nullable":true,"metadata":{}},
            {"name":"amount","type":"long","nullable":true,"metadata":{}}]}
            """);
    job.run("--schema=" + file, "--unknownFields=ignore").done();
    assertThat(job.rows(), is(List.of("e1=10")));
  }

  @Test
  void columnsAreThoseOfATableThatWritesThemInOtherCase() {
    String table =
        "{\"type\":\"struct\",\"fields\":["
            + "{\"name\":\"ID\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},"
            + "{\"name\":\"At\",\"type\":\"string\",\"nullable\":true,\"metadata\":{}},"
            + "{\"name\":\"Amount\",\"type\":\"long\",\"nullable\":true,\"metadata\":{}}]}";
    EventJob job = EventJob.in(directory);
    DeltaTable.at(job.table().toString(), Map.of())
        .commit(DeltaCommit.of("maker/main", 0, "plan", "content", table));
    job.send(0, 20);
    job.crash("between-targets:1");

    job.run().done();

    assertThat(
        DeltaRows.read(job.table().toString()).toList().stream()
            .map(row -> row.getValue("ID") + "=" + row.getValue("Amount"))
            .sorted()
            .toList(),
        is(EventJob.events(0, 20)));
  }
}
