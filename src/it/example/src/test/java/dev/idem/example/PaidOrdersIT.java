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
package dev.idem.example;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.failure.CrashPoint;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PaidOrdersIT {

  private static final int ORDERS = 2_000;

  /** Every tenth event is sent again. */
  private static final int AGAIN = 10;

  @TempDir private Path directory;

  @BeforeAll
  static void sendOrders() {
    KafkaBroker.shared().createTopic("orders", 2, Map.of());
    List<ProducerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < ORDERS; i++) {
      records.add(order(i));
      if (i % AGAIN == 0 && i >= 300) {
        records.add(order(i - 300));
      }
    }
    KafkaBroker.shared().sendAll(records);
  }

  private static ProducerRecord<byte[], byte[]> order(int i) {
    String json =
        "{\"event_id\":\"e-%d\",\"order_id\":%d,\"status\":\"%s\",\"amount\":%s,\"event_ts\":%d}"
            .formatted(i, i / 4, status(i), i * 0.5, 1_790_000_000_000L + i);
    return new ProducerRecord<>("orders", i % 2, null, json.getBytes(StandardCharsets.UTF_8));
  }

  private static String status(int i) {
    return i % 2 == 0 ? "paid" : "placed";
  }

  @Execution(ExecutionMode.CONCURRENT)
  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"DirectRunner", "SparkRunner"})
  void crashedAtEveryPointItKeepsEachPaidOrderOnce(String runner) throws Exception {
    Path table = directory.resolve("paid");
    int batch = 0;

    List<CrashPoint> points = new ArrayList<>(List.of(CrashPoint.values()));
    // No target of this job is written by workers alone.
    points.remove(CrashPoint.AFTER_TARGET_WRITE);
    for (CrashPoint point : points) {
      assertThat(
          point.option(),
          run(runner, table, "--crashAt=" + point.option() + ":" + batch),
          is(CrashPoint.EXIT_CODE));
      // A crash before N is planned leaves N to the next one; each other start completes N first.
      batch += point == CrashPoint.BEFORE_OFFSETS ? 0 : 1;
    }
    int exit = run(runner, table);

    assertThat(exit, is(0));
    TreeSet<String> expected = new TreeSet<>();
    for (int i = 0; i < ORDERS; i += 2) {
      expected.add("e-" + i);
    }
    List<String> ids =
        DeltaRows.read(table.toString()).select("event_id").toList().stream()
            .map(row -> row.getString("event_id"))
            .sorted()
            .toList();
    assertThat(ids, equalTo(List.copyOf(expected)));
  }

  private int run(String runner, Path table, String... options)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(command::add);
    command.addAll(List.of("-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(
        List.of("-cp", System.getProperty("java.class.path"), PaidOrders.class.getName()));
    command.addAll(
        List.of(
            KafkaBroker.shared().bootstrapServers(),
            table.toString(),
            "--checkpoint=" + directory.resolve("checkpoint"),
            "--maxRecordsPerBatch=200",
            "--runner=" + runner));
    if (runner.equals("SparkRunner")) {
      command.add("--sparkMaster=local[2]");
    }
    command.addAll(List.of(options));
    Path log = Files.createTempFile(directory, "run", ".log");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    if (!process.waitFor(4, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      throw new AssertionError("The job must end within 4 minutes, but says: " + text(log));
    }
    int exit = process.exitValue();
    if (exit != 0 && exit != CrashPoint.EXIT_CODE) {
      throw new AssertionError("The job must not fail, but says: " + text(log));
    }
    return exit;
  }

  private static String text(Path log) throws IOException {
    return Files.readString(log);
  }
}
