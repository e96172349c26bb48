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
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;

import com.fasterxml.jackson.databind.JsonNode;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.testing.KafkaBroker;
import dev.idem.testing.SparkReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tables that jobs merge into in turn with Spark, which reads them and lays their files anew. */
class SparkMergesIT {

  private static final long SEED = 20_261_201;
  private static final int KEYS = 300;

  @TempDir private Path directory;

  private final String topic = "merged-" + UUID.randomUUID();
  private final Random random = new Random(SEED);
  private final Map<Integer, String> expected = new TreeMap<>();
  private final int[] newest = new int[KEYS];
  private int sequence;

  private Path table() {
    return directory.resolve("table");
  }

  private void sql(String statement) {
    SparkReader.shared().sql(statement.formatted("delta.`" + table() + "`"));
  }

  /** Sends changes of some keys, among them deletes and some that are older than what there was. */
  private void change(int changes) {
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < changes; i++) {
      int id = random.nextInt(KEYS);
      boolean stale = newest[id] > 1 && random.nextInt(5) == 0;
      int at = stale ? 1 + random.nextInt(newest[id] - 1) : ++sequence;
      boolean delete = random.nextInt(4) == 0;
      if (!stale) {
        newest[id] = at;
        if (delete) {
          expected.remove(id);
        } else {
          expected.put(id, "v" + at);
        }
      }
      String value = stale ? "stale" : "v" + at;
      records.add(
          new ProducerRecord<>(
              topic,
              "{\"id\":%d,\"seq\":%d,\"op\":\"%s\",\"value\":\"%s\"}"
                  .formatted(id, at, delete ? "delete" : "upsert", value)
                  .getBytes(StandardCharsets.UTF_8)));
    }
    KafkaBroker.shared().sendAll(records);
  }

  private void merge() {
    IdemInProcess.run(
            "cdc-to-delta",
            "--bootstrapServers=" + KafkaBroker.shared().bootstrapServers(),
            "--topics=" + topic,
            "--table=" + table(),
            "--checkpoint=" + directory.resolve("checkpoint"),
            "--keys=id",
            "--sequenceBy=seq",
            "--deleteWhen=op=delete",
            "--except=op,seq",
            "--mergeMode=merge-on-read")
        .done();
  }

  private void assertExact() {
    List<String> rows = new ArrayList<>();
    expected.forEach((id, value) -> rows.add(id + " " + value));
    List<String> inSpark = new ArrayList<>();
    SparkReader.shared()
        .sql("SELECT id, value FROM delta.`" + table() + "` ORDER BY id")
        .forEach(row -> inSpark.add(row.get("id").asText() + " " + row.get("value").asText()));
    assertThat("in Spark, seed " + SEED, inSpark, equalTo(rows));
    List<String> ours =
        DeltaRows.read(table().toString()).toList().stream()
            .sorted((left, right) -> Long.compare(left.getInt64("id"), right.getInt64("id")))
            .map(row -> row.getInt64("id") + " " + row.getString("value"))
            .toList();
    assertThat("read by us, seed " + SEED, ours, equalTo(rows));
  }

  private long deletionVectors() throws IOException {
    try (Stream<Path> files = Files.list(table())) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("deletion_vector"))
          .count();
    }
  }

  @Test
  void sparkReadsMergesAndMergesGoOnAfterItsOptimizeAndVacuum() throws IOException {
    KafkaBroker.shared().createTopic(topic, 1, Map.of());
    for (int changes : List.of(900, 100, 100)) {
      change(changes);
      merge();
    }
    assertThat(deletionVectors(), greaterThan(1L));
    assertExact();

    sql("OPTIMIZE %s");
    sql("SET spark.databricks.delta.retentionDurationCheck.enabled = false");
    sql("SET spark.sql.sources.parallelPartitionDiscovery.parallelism = 1");
    sql("VACUUM %s RETAIN 0 HOURS");
    sql("SET spark.databricks.delta.retentionDurationCheck.enabled = true");
    assertThat("after VACUUM", deletionVectors(), is(0L));

    change(200);
    merge();
    assertExact();
    JsonNode last = SparkReader.shared().history(table()).get(0);
    assertThat(last.get("operationParameters").get("mode").asText(), is("MergeOnRead"));
  }
}
