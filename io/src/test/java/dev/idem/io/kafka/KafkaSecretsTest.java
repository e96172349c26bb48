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
package dev.idem.io.kafka;

import static dev.idem.io.kafka.Records.assertReads;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.KafkaBroker;
import dev.idem.testing.RunnerUnderTest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.util.SerializableUtils;
import org.apache.beam.sdk.util.construction.PipelineTranslation;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KafkaSecretsTest {
  private static final String TOPIC = "sasl";
  private static final KafkaBroker BROKER = KafkaBroker.shared();

  @TempDir Path directory;

  @BeforeAll
  static void fill() {
    BROKER.createTopic(TOPIC, 1, Map.of());
    BROKER.sendAll(Records.numbered(TOPIC, 0, "v", 3));
  }

  @ParameterizedTest
  @EnumSource
  void saslWithAPasswordInAFileReadsOnEveryRunner(RunnerUnderTest runner) throws Exception {
    assertReads(
        runner,
        ReadKafkaRanges.of(List.of(new KafkaRange(TOPIC, 0, 0, 3)))
            .withConsumerConfig(referring(KafkaBroker.SASL_PASSWORD)),
        List.of("sasl-0@0 'k0'='v0'", "sasl-0@1 'k1'='v1'", "sasl-0@2 'k2'='v2'"));
  }

  @Test
  void saslWithASettingsFileReads() throws Exception {
    assertThat(
        Records.readHere(loaded(KafkaBroker.SASL_PASSWORD), new KafkaRange(TOPIC, 0, 1, 2)),
        equalTo(List.of("sasl-0@1 'k1'='v1'")));
    try (KafkaOffsets offsets = KafkaOffsets.connect(loaded(KafkaBroker.SASL_PASSWORD))) {
      assertThat(offsets.partitionCounts(List.of(TOPIC)), equalTo(Map.of(TOPIC, 1)));
    }
  }

  @Test
  void wrongPasswordIsRefusedWithoutShowingIt() throws Exception {
    String wrong = "wr0ng-and-secret";
    for (KafkaConfig config : List.of(referring(wrong), loaded(wrong))) {

      var reading =
          assertThrows(
              KafkaAccessException.class,
              () -> Records.readHere(config, new KafkaRange(TOPIC, 0, 0, 3)));
      KafkaAccessException asking;
      try (KafkaOffsets offsets = KafkaOffsets.connect(config)) {
        asking = assertThrows(KafkaAccessException.class, offsets::clusterId);
      }

      assertThat(
          reading.getMessage(),
          equalTo(
              "Kafka cluster must accept the client, but was: \"%s\" answered SaslAuthenticationException. Check the user, its permissions and the security settings."
                  .formatted(BROKER.saslBootstrapServers())));
      assertHidden(wrong, Causes.text(reading));
      assertHidden(wrong, Causes.text(asking));
    }
  }

  @Test
  void serializedPipelineHoldsNoSecretAndNoValueOfASettingsFile() throws Exception {
    List<KafkaConfig> configs =
        List.of(referring(KafkaBroker.SASL_PASSWORD), loaded(KafkaBroker.SASL_PASSWORD));
    for (KafkaConfig config : configs) {
      KafkaRange range = new KafkaRange(TOPIC, 0, 0, 3);
      ReadKafkaRanges read = ReadKafkaRanges.of(List.of(range)).withConsumerConfig(config);
      Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
      pipeline.apply(read);

      KafkaRangeSource source = new KafkaRangeSource(config, List.of(range), 10);
      List<byte[]> forms = new ArrayList<>();
      for (Serializable part :
          List.of(read, source, config.consumerFactory(), config.producerFactory())) {
        forms.add(serialized(part));
        forms.add(SerializableUtils.serializeToByteArray(part));
      }
      forms.add(PipelineTranslation.toProto(pipeline).toByteArray());
      forms.add(PipelineTranslation.toProto(pipeline).toString().getBytes(UTF_8));

      for (byte[] form : forms) {
        String text = new String(form, ISO_8859_1);
        assertHidden(KafkaBroker.SASL_PASSWORD, text);
        assertThat(text, not(containsString("value-only-in-the-file")));
      }
      assertThat("the topic is found", contains(forms.get(0), TOPIC), equalTo(true));
      assertHidden(KafkaBroker.SASL_PASSWORD, config.toString());
    }
  }

  @Test
  void logsHoldNoSecret() throws Exception {
    try (CapturedLog log = new CapturedLog()) {
      for (KafkaConfig config :
          List.of(
              referring(KafkaBroker.SASL_PASSWORD).with("client.id", "captured-1"),
              loaded(KafkaBroker.SASL_PASSWORD).with("client.id", "captured-2"))) {
        Records.readHere(config, new KafkaRange(TOPIC, 0, 0, 3));
      }

      assertThat(log.text(), containsString("client.id = captured-1"));
      assertThat(log.text(), containsString("client.id = captured-2"));
      assertHidden(KafkaBroker.SASL_PASSWORD, log.text());
    }
  }

  private static void assertHidden(String secret, String text) {
    String base64 = Base64.getEncoder().withoutPadding().encodeToString(secret.getBytes(UTF_8));
    assertThat(text, not(containsString(secret)));
    // The last character depends on what follows the secret.
    assertThat(text, not(containsString(base64.substring(0, base64.length() - 1))));
  }

  /** Beam's own form is compressed, in which a text may be there and yet not be found. */
  private static byte[] serialized(Serializable value) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    }
    return bytes.toByteArray();
  }

  private static boolean contains(byte[] bytes, String text) {
    return new String(bytes, ISO_8859_1).contains(text);
  }

  private KafkaConfig referring(String password) throws IOException {
    Path file = Files.writeString(Files.createTempFile(directory, "password", ""), password);
    return KafkaConfig.of(BROKER.saslBootstrapServers())
        .with("security.protocol", "SASL_PLAINTEXT")
        .with("sasl.mechanism", "PLAIN")
        .with("sasl.jaas.config", login("${file:" + file + "}"));
  }

  private KafkaConfig loaded(String password) throws IOException {
    Path file = Files.createTempFile(directory, "client", ".properties");
    Files.writeString(
        file,
        """
        bootstrap.servers=%s
        security.protocol=SASL_PLAINTEXT
        sasl.mechanism=PLAIN
        client.rack=value-only-in-the-file
        sasl.jaas.config=%s
        """
            .formatted(BROKER.saslBootstrapServers(), login(password)));
    return KafkaConfig.load(file);
  }

  private static String login(String password) {
    return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\"%s\" password=\"%s\";"
        .formatted(KafkaBroker.SASL_USER, password);
  }
}
