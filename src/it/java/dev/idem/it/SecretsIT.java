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
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.idem.io.delta.table.DeltaRows;
import dev.idem.testing.KafkaBroker;
import dev.idem.testing.S3Store;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Secrets of Kafka clients and of file systems are followed where a client is made, and are nowhere
 * else: in no pipeline, file, log or answer.
 */
class SecretsIT {

  /** By the environment variable that holds it. */
  private static final Map<String, String> VARIABLES =
      Map.of(
          "IDEM_IT_SASL_PASSWORD", KafkaBroker.SASL_PASSWORD,
          "IDEM_IT_KEY_PASSWORD", "k3y-n0t-f0r-pr1nt",
          "IDEM_IT_S3_SECRET", "s3cret-n0t-f0r-pr1nt");

  /** By the name of the file that holds it. */
  private static final Map<String, String> FILES =
      Map.of("truststore-password", "tru5t-n0t-f0r-pr1nt", "s3-access-key", "acc3ss-n0t-f0r-pr1nt");

  @TempDir private Path directory;

  private static List<String> secrets() {
    List<String> secrets = new ArrayList<>();
    for (Collection<String> some : List.of(VARIABLES.values(), FILES.values())) {
      for (String secret : some) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        String base64 = Base64.getEncoder().withoutPadding().encodeToString(bytes);
        secrets.add(secret);
        // The last character depends on what follows the secret.
        secrets.add(base64.substring(0, base64.length() - 1));
      }
    }
    return secrets;
  }

  private String file(String name) throws IOException {
    return "${file:" + Files.writeString(directory.resolve(name), FILES.get(name) + "\n") + "}";
  }

  private Path store(String name, Map<String, String> settings) throws IOException {
    Properties properties = new Properties();
    properties.putAll(settings);
    Path file = directory.resolve(name);
    try (var writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
    return file;
  }

  private Path kafkaSettings(EventJob job) throws IOException {
    Map<String, String> settings = new TreeMap<>();
    settings.put("bootstrap.servers", job.broker.saslBootstrapServers());
    settings.put("security.protocol", "SASL_PLAINTEXT");
    settings.put("sasl.mechanism", "PLAIN");
    settings.put(
        "sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
            + KafkaBroker.SASL_USER
            + "\" password=\"${env:IDEM_IT_SASL_PASSWORD}\";");
    settings.put("ssl.key.password", "${env:IDEM_IT_KEY_PASSWORD}");
    settings.put("ssl.truststore.password", file("truststore-password"));
    return store("client.properties", settings);
  }

  private Map<String, String> s3Settings(S3Store s3) throws IOException {
    Map<String, String> settings = new TreeMap<>(s3.settings());
    settings.put("fs.s3a.access.key", file("s3-access-key"));
    settings.put("fs.s3a.secret.key", "${env:IDEM_IT_S3_SECRET}");
    return settings;
  }

  /** Returns the command lines, with what stands between them. */
  private static List<String> commands(EventJob job, Path kafka, Path hadoop) {
    String recorded = "--runner=" + RecordingRunner.class.getName();
    String table = S3Store.location("table");
    String[] more = {"--hadoopConfig=" + hadoop, recorded};
    List<String> all = new ArrayList<>(job.command(more));
    all.add(TalkativeIdem.NEXT);
    all.add("redrive");
    all.addAll(job.command(more));
    all.addAll(List.of("--reason=parse error", TalkativeIdem.NEXT, "backfill"));
    all.addAll(List.of("--kafkaConfig=" + kafka, "--topics=" + job.topic, "--table=" + table));
    all.addAll(List.of("--from=e0", "--to=e9", "--keys=id", "--maxDeadLetters=50%"));
    all.addAll(List.of(more));
    for (String runner : List.of(recorded, "--runner=SparkRunner")) {
      String copy = S3Store.location("copy-" + runner.hashCode());
      all.addAll(List.of(TalkativeIdem.NEXT, "delta-to-delta", "--sourceTable=" + table));
      all.addAll(List.of("--table=" + copy, "--checkpoint=" + copy + "-checkpoint"));
      all.addAll(List.of("--hadoopConfig=" + hadoop, runner));
    }
    all.add("--sparkMaster=local[2]");
    all.addAll(List.of(TalkativeIdem.NEXT, "inspect", "--hadoopConfig=" + hadoop));
    all.addAll(
        List.of("--checkpoint=" + S3Store.location("checkpoint"), "--table=" + table, "--json"));
    return all;
  }

  @Test
  void secretsAreInNothingThatIsShippedWrittenOrSaid() throws IOException {
    try (S3Store s3 = S3Store.start()) {
      Map<String, String> settings = s3Settings(s3);
      Path hadoop = store("hadoop.properties", settings);
      EventJob job = EventJob.in(Files.createDirectory(directory.resolve("job")));
      Path kafka = kafkaSettings(job);
      job.with("--bootstrapServers", null)
          .with("--kafkaConfig", kafka.toString())
          .with("--table", S3Store.location("table"))
          .with("--checkpoint", S3Store.location("checkpoint"))
          .with("--partitionBy", "id")
          .with("--maxRecordsPerBatch", "3");
      job.send(0, 3);
      job.sendValue("no JSON");
      job.send(2, 4);
      Path recorded = Files.createDirectory(directory.resolve("recorded"));
      Map<String, String> environment = new TreeMap<>(VARIABLES);
      environment.put(RecordingRunner.DIRECTORY, recorded.toString());

      Outcome outcome =
          Forked.main(TalkativeIdem.class.getName(), commands(job, kafka, hadoop), environment)
              .done();

      List<String> shipped = new ArrayList<>();
      for (Path form : Listing.of(recorded)) {
        shipped.add(new String(EventJob.bytes(form), StandardCharsets.ISO_8859_1));
      }
      String said = outcome.out() + outcome.err();
      // None of the texts is shown: they are long, and would hold what they must not.
      for (String secret : secrets()) {
        assertThat(shipped.stream().anyMatch(form -> form.contains(secret)), is(false));
        assertThat(said.contains(secret), is(false));
        assertThat(s3.filesWith(secret), is(empty()));
      }
      // What was searched holds what stands for them, and what they were used for was done.
      for (String standIn :
          List.of(
              kafka.toString(),
              settings.get("fs.s3a.access.key"),
              settings.get("fs.s3a.secret.key"))) {
        assertThat(standIn, shipped.stream().anyMatch(form -> form.contains(standIn)), is(true));
      }
      assertThat(said.contains("INFO ConsumerConfig"), is(true));
      assertThat(said.contains("partitions with id >= e0 and id <= e9"), is(true));
      assertThat(s3.filesWith("\"commitInfo\""), is(not(empty())));
      settings.put("fs.s3a.secret.key", settings.get("fs.s3a.access.key"));
      assertThat(
          DeltaRows.read(S3Store.location("table"))
              .withHadoopConfiguration(settings)
              .toList()
              .stream()
              .map(row -> row.getValue("id") + "=" + row.getValue("amount"))
              .sorted()
              .toList(),
          is(EventJob.events(0, 4)));
    }
  }
}
