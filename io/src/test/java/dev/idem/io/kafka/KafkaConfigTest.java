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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasToString;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaConfigTest {
  private static final String MODULE = "org.apache.kafka.common.security.plain.PlainLoginModule ";
  private static final String LOGIN = MODULE + "required ";

  @TempDir Path directory;

  @Test
  void referencesAreFollowedOnlyWhenResolved() throws Exception {
    Path secret = directory.resolve("password");
    KafkaConfig config =
        KafkaConfig.of("b:1")
            .with("ssl.key.password", "${file:" + secret + "}")
            .with("client.id", "on-${env:PATH}-x");
    Files.writeString(secret, "first\n");
    Map<String, String> first = config.resolve();
    Files.writeString(secret, "sec$ond\n");

    Map<String, String> second = config.resolve();

    assertThat(first.get("ssl.key.password"), equalTo("first"));
    assertThat(second.get("ssl.key.password"), equalTo("sec$ond"));
    assertThat(second.get("client.id"), equalTo("on-" + System.getenv("PATH") + "-x"));
  }

  @Test
  void fileIsReadAgainWhereverAClientIsCreated() throws Exception {
    Path file = directory.resolve("client.properties");
    Files.writeString(file, "bootstrap.servers=b:1\nssl.key.password=old\nretries=1\n");
    KafkaConfig config = KafkaConfig.load(file).with("retries", "7");
    Files.writeString(file, "bootstrap.servers=b:1\nssl.key.password=new\nretries=1\n");

    assertThat(
        config.resolve(),
        equalTo(Map.of("bootstrap.servers", "b:1", "ssl.key.password", "new", "retries", "7")));
    assertThat(config.names(), contains("bootstrap.servers", "retries", "ssl.key.password"));
  }

  @Test
  void textShowsNamesOnly() {
    KafkaConfig config = KafkaConfig.of("b:1").with("client.rack", "hidden-value");

    assertThat(
        config,
        hasToString("KafkaConfig{bootstrap.servers=b:1, names=[bootstrap.servers, client.rack]}"));
  }

  @ParameterizedTest
  @CsvSource({
    "ssl.key.password,hunter2",
    "ssl.keystore.key,hunter2",
    "ssl.truststore.password,hunter2",
    "my.reporter.apiKey,hunter2",
    "schema.registry.basic.auth.user.info,hunter2",
    "ssl.key.password,hunter2${env:PATH}",
  })
  void literalSecretIsRefusedWithoutShowingIt(String name, String value) {
    KafkaConfig config = KafkaConfig.of("b:1");

    var e = assertThrows(IllegalArgumentException.class, () -> config.with(name, value));

    assertThat(
        e.getMessage(),
        equalTo(
            "Kafka setting \"%s\" must be given as a reference, but was: a literal (not shown). Use ${file:PATH} or ${env:NAME}, or load the settings from a file."
                .formatted(name)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "username=\"u\" password=\"hunter2\";",
        "username=\"${env:U}\" password=hunter2;",
        "username=\"u\" password=\"${env:P}2\";",
        "username=\"u\" some.other=\"hunter2\";",
      })
  void literalSecretInALoginModuleIsRefused(String options) {
    KafkaConfig config = KafkaConfig.of("b:1");

    var e =
        assertThrows(
            IllegalArgumentException.class, () -> config.with("sasl.jaas.config", LOGIN + options));

    assertThat(
        e.getMessage(),
        equalTo(
            "Kafka setting \"sasl.jaas.config\" must be given as a reference, but was: a literal (not shown). Use ${file:PATH} or ${env:NAME}, or load the settings from a file."));
  }

  @Test
  void loginModuleWithReferencesIsTaken() {
    KafkaConfig config =
        KafkaConfig.of("b:1")
            .with("sasl.jaas.config", LOGIN + "username=\"u\" password=\"${env:PATH}\";")
            .with("sasl.oauthbearer.token.endpoint.url", "https://host/token");

    assertThat(
        config.resolve().get("sasl.jaas.config"),
        equalTo(LOGIN + "username=\"u\" password=\"" + System.getenv("PATH") + "\";"));
  }

  @Test
  void missingReferencesNameSettingAndPlace() {
    KafkaConfig noVariable = KafkaConfig.of("b:1").with("ssl.key.password", "${env:IDEM_NOT_SET}");
    KafkaConfig noFile = KafkaConfig.of("b:1").with("ssl.key.password", "${file:/not/there}");
    Path missing = directory.resolve("missing.properties");

    var variable = assertThrows(KafkaSettingException.class, noVariable::resolve);
    var file = assertThrows(KafkaSettingException.class, noFile::resolve);
    var settings = assertThrows(KafkaSettingException.class, () -> KafkaConfig.load(missing));

    assertThat(variable.setting(), equalTo("ssl.key.password"));
    assertThat(
        variable.getMessage(),
        equalTo(
            "Kafka setting \"ssl.key.password\" must refer to an environment variable that is set, but was: \"${env:IDEM_NOT_SET}\". Set it where the clients are created, on every worker."));
    assertThat(
        file.getMessage(),
        equalTo(
            "Kafka setting \"ssl.key.password\" must refer to a readable file, but was: \"${file:/not/there}\". Put it where the clients are created, on every worker."));
    assertThat(
        settings.getMessage(),
        equalTo(
            "Kafka settings file must be readable, but was: \"%s\". Put it at the same path on every worker."
                .formatted(missing)));
  }

  @ParameterizedTest
  @CsvSource({
    "isolation.level,read_uncommitted,read_committed",
    "auto.offset.reset,earliest,none",
    "enable.auto.commit,true,false",
    "allow.auto.create.topics,true,false",
  })
  void settingsThatRangesDependOnAreRefused(String name, String value, String rule) {
    KafkaConfig config = KafkaConfig.of("127.0.0.1:1").with(name, value);

    var e = assertThrows(KafkaSettingException.class, () -> KafkaClients.consumer(config));

    assertThat(
        e.getMessage(),
        equalTo(
            "Kafka setting \"%s\" must be %s for exact ranges, but was: something else. Leave it out."
                .formatted(name, rule)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "required username=\"u\" password=\"ab\"s3cret-1\";",
        "required username=\"u\" password=\"ab\"'s3cret-1\" in JAAS config' s3cret-1\";",
        "required username=\"u\" password=\"ab\"\ns3cret-1\";",
        "s3cret-1 username=\"u\";"
      })
  void partsOfALoginThatKafkaQuotesAreHidden(String login) throws IOException {
    Path password = Files.writeString(directory.resolve("login"), MODULE + login);
    KafkaConfig config =
        KafkaConfig.of("127.0.0.1:1")
            .with("security.protocol", "SASL_PLAINTEXT")
            .with("sasl.mechanism", "PLAIN")
            .with("sasl.jaas.config", "${file:" + password + "}");

    for (Executable client :
        List.<Executable>of(
            () -> KafkaClients.consumer(config), () -> KafkaClients.admin(config))) {
      var e = assertThrows(KafkaSettingException.class, client);

      assertThat(e.getMessage(), containsString("[hidden] in JAAS config"));
      assertThat(Causes.text(e), not(containsString("s3cret")));
    }
  }

  @Test
  void settingThatTheClientRefusesIsNamedWithoutItsValue() {
    KafkaConfig config = KafkaConfig.of("127.0.0.1:1").with("fetch.max.bytes", "many");

    var e = assertThrows(KafkaSettingException.class, () -> KafkaClients.consumer(config));

    assertThat(e.setting(), equalTo("fetch.max.bytes"));
    assertThat(
        e.getMessage(),
        equalTo(
            "Kafka setting \"fetch.max.bytes\" must be accepted by the client, but was: refused (Invalid value for configuration fetch.max.bytes: Not a number of type INT). Correct it; values are not shown."));
  }
}
