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
package dev.idem.io.debezium;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.beam.sdk.util.SerializableUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SchemaRegistryTest {
  private static final String POINT =
      "{\"type\":\"record\",\"name\":\"Point\",\"namespace\":\"a\",\"fields\":[{\"name\":\"x\",\"type\":\"int\"}]}";
  private static final String SECRET = "s3cret-n0t-f0r-pr1nt";

  /** What clients waited for, in milliseconds. */
  private final List<Long> pauses = new ArrayList<>();

  @TempDir private Path directory;

  private FakeRegistry server;

  @BeforeEach
  void start() throws IOException {
    server = new FakeRegistry();
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private SchemaRegistry client() {
    return SchemaRegistry.at(server.url()).withSleeper(pauses::add);
  }

  private String secret() throws IOException {
    return "${file:" + Files.writeString(directory.resolve("secret"), SECRET + "\n") + "}";
  }

  @Test
  void aSchemaIsReadByItsId() throws Exception {
    int id = server.add(POINT);

    assertThat(client().schema(id), equalTo(Optional.of(new Schema.Parser().parse(POINT))));
    assertThat(SchemaRegistry.at(server.url() + "/").schema(id).isPresent(), is(true));
    assertThat(server.requests(), contains("/schemas/ids/1", "/schemas/ids/1"));
  }

  @Test
  void anIdThatIsNotThereIsNoSchema() throws Exception {
    assertThat(client().schema(7), is(Optional.empty()));
  }

  @Test
  void referencesAreReadFirstAndOnce() throws Exception {
    server.addVersion("p%20q%2Fr/versions/2", POINT);
    server.addVersion(
        "line/versions/1",
        "{\"type\":\"record\",\"name\":\"Line\",\"namespace\":\"a\",\"fields\":[{\"name\":\"from\",\"type\":\"a.Point\"}]}",
        "a.Point",
        "p q/r",
        "2");
    int id =
        server.add(
            "{\"type\":\"record\",\"name\":\"Both\",\"fields\":[{\"name\":\"l\",\"type\":\"a.Line\"},{\"name\":\"p\",\"type\":\"a.Point\"}]}",
            "a.Line",
            "line",
            "1",
            "a.Point",
            "p q/r",
            "2");

    Schema schema = client().schema(id).orElseThrow();

    assertThat(
        schema.getField("l").schema().getField("from").schema(),
        equalTo(new Schema.Parser().parse(POINT)));
    assertThat(
        server.requests(),
        contains("/schemas/ids/1", "/subjects/line/versions/1", "/subjects/p%20q%2Fr/versions/2"));
  }

  @Test
  void failuresOfTheServerAreRepeatedAfterPausesThatGrow() throws Exception {
    int id = server.add(POINT);
    server.failing(500, 503, 429, 502);

    assertThat(client().schema(id).isPresent(), is(true));
    assertThat(pauses, contains(500L, 1000L, 2000L, 4000L));
  }

  @Test
  void attemptsAreBounded() {
    int id = server.add(POINT);
    server.failing(500, 500, 500);

    SchemaRegistryException e =
        assertThrows(SchemaRegistryException.class, () -> client().withAttempts(2).schema(id));

    assertThat(
        e.getMessage(),
        is(
            "Schema registry must answer GET /schemas/ids/1, but was: \"%s\" answered 500 in each of 2 attempts. Check the address, the network and that it runs."
                .formatted(server.url())));
    assertThat(e.status(), is(500));
    assertThat(e.url(), is(server.url()));
    assertThat(server.requests(), contains("/schemas/ids/1", "/schemas/ids/1"));
  }

  @Test
  void aServerThatIsSilentIsGivenUp() {
    int id = server.add(POINT);
    server.failing(FakeRegistry.SILENCE, FakeRegistry.SILENCE);

    SchemaRegistryException e =
        assertThrows(
            SchemaRegistryException.class,
            () -> client().withAttempts(2).withTimeout(Duration.ofMillis(200)).schema(id));

    assertThat(
        e.getMessage(),
        is(
            "Schema registry must answer GET /schemas/ids/1, but was: \"%s\" gave no answer (HttpTimeoutException) in each of 2 attempts. Check the address, the network and that it runs."
                .formatted(server.url())));
    assertThat(e.status(), is(0));
  }

  @Test
  void aServerThatIsNotThereIsGivenUp() {
    String url = server.url();
    server.close();

    SchemaRegistryException e =
        assertThrows(SchemaRegistryException.class, () -> client().withAttempts(3).schema(1));

    assertThat(
        e.getMessage(),
        is(
            "Schema registry must answer GET /schemas/ids/1, but was: \"%s\" gave no answer (ConnectException) in each of 3 attempts. Check the address, the network and that it runs."
                .formatted(url)));
    assertThat(pauses, contains(500L, 1000L));
  }

  @Test
  void whatIsNoRegistryIsSaidAtOnce() {
    server.failing(404, 200, 302);

    for (int status : List.of(404, 200, 302)) {
      SchemaRegistryException e =
          assertThrows(SchemaRegistryException.class, () -> client().schema(1));
      assertThat(
          e.getMessage(),
          is(
              "Schema registry must answer with a schema, but was: \"%s\" answered %d to GET /schemas/ids/1, and no schema. Check that the URL is that of the registry's API."
                  .formatted(server.url(), status)));
    }
    assertThat(pauses.isEmpty(), is(true));
  }

  @Test
  void aReferenceThatIsNotThereIsTheRegistrysFault() {
    int id = server.add("\"a.Point\"", "a.Point", "gone", "1");

    SchemaRegistryException e =
        assertThrows(SchemaRegistryException.class, () -> client().schema(id));

    assertThat(e.getMessage(), containsString("answered 404 to GET /subjects/gone/versions/1"));
  }

  @Test
  void schemasThatAreNotAvroAreTheRecordsFault() {
    int broken = server.add("{\"type\":\"nothing\"}");
    int other = server.addOther("syntax = \"proto3\";", "PROTOBUF");

    for (int id : List.of(broken, other)) {
      BadEventException e = assertThrows(BadEventException.class, () -> client().schema(id));
      assertThat(e.getMessage(), is("The schema of a record must be an Avro schema."));
    }
  }

  @Test
  void credentialsAreSent() throws Exception {
    int id = server.add(POINT);
    server.require(
        "Basic "
            + Base64.getEncoder()
                .encodeToString(("reader:" + SECRET).getBytes(StandardCharsets.UTF_8)));

    assertThat(client().withBasicAuth("reader", secret()).schema(id).isPresent(), is(true));
    server.require("Bearer " + SECRET);
    assertThat(client().withBearerToken(secret()).schema(id).isPresent(), is(true));
    SchemaRegistryException e =
        assertThrows(SchemaRegistryException.class, () -> client().schema(id));
    assertThat(
        e.getMessage(),
        is(
            "Schema registry must accept the client, but was: \"%s\" answered 401 to GET /schemas/ids/1. Check the user or token and what it may read."
                .formatted(server.url())));
    assertThat(e.status(), is(401));
  }

  @Test
  void secretsAreNowhereElse() throws Exception {
    SchemaRegistry client =
        SchemaRegistry.at(server.url())
            .withBasicAuth("reader", secret())
            .withAttempts(1)
            .withTimeout(Duration.ofSeconds(5));
    server.require("other");
    SchemaRegistryException e = assertThrows(SchemaRegistryException.class, () -> client.schema(1));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(client);
    }

    assertThat(bytes.toString(StandardCharsets.ISO_8859_1), not(containsString(SECRET)));
    assertThat(client.toString(), is("SchemaRegistry{url=%s}".formatted(server.url())));
    assertThat(e.toString(), not(containsString(SECRET)));
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> client.withBearerToken("literal-secret"))
            .getMessage(),
        is(
            "Secret of a schema registry must be given as a reference, but was: a literal (not"
                + " shown). Use ${file:PATH} or ${env:NAME}."));
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> SchemaRegistry.at("https://user:pass@registry"))
            .getMessage(),
        is(
            "URL of a schema registry must be http or https with a host and no user, but was:"
                + " another one (not shown). Give the credentials by withBasicAuth or"
                + " withBearerToken."));
    SchemaRegistryException unresolved =
        assertThrows(
            SchemaRegistryException.class,
            () -> client.withBearerToken("${env:IDEM_NO_SUCH_VARIABLE}").schema(1));
    assertThat(
        unresolved.getMessage(),
        is(
            "Secret of schema registry \"%s\" must refer to a variable that is set or a file that can be read, but was: \"IDEM_NO_SUCH_VARIABLE\". Provide it on every worker."
                .formatted(server.url())));
  }

  @Test
  void settingsThatMakeNoSenseAreRefused() {
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> client().withAttempts(0)).getMessage(),
        is("Attempts must be 1 or more, but was: 0. Leave it at 5."));
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> client().withTimeout(Duration.ZERO))
            .getMessage(),
        is("Timeout must be greater than zero, but was: PT0S. Leave it at 10 seconds."));
    for (String url : List.of("registry:8081", "ftp://registry", "http:///x", "ht tp://")) {
      assertThrows(IllegalArgumentException.class, () -> SchemaRegistry.at(url), url);
    }
  }

  @Test
  void aCopyReadsToo() throws Exception {
    int id = server.add(POINT);

    SchemaRegistry copy = SerializableUtils.clone(SchemaRegistry.at(server.url()));

    assertThat(copy.schema(id).isPresent(), is(true));
  }
}
