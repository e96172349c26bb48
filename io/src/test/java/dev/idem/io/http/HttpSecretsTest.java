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
package dev.idem.io.http;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.http.EffectServer.Fault;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.util.SerializableUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a server must not learn from others is nowhere but in its file. */
class HttpSecretsTest {

  private static final String SECRET = "s3cRet-t0ken";

  @TempDir private Path directory;

  private HttpHeaders headers() throws Exception {
    Path token = Files.writeString(directory.resolve("token"), SECRET + "\n");
    return HttpHeaders.load(
            Files.writeString(
                directory.resolve("headers.properties"), "Authorization=Bearer " + SECRET + "\n"))
        .with("X-Api-Key", "${file:" + token + "}");
  }

  private static void assertHidden(String text) {
    assertThat(text, not(containsString(SECRET)));
  }

  @Test
  void secretsReachTheServerAndNothingElse() throws Exception {
    try (EffectServer server =
        new EffectServer(
            (number, request) ->
                request.body().startsWith("n1") ? Fault.status(422) : Fault.NONE)) {
      WriteHttpEffects<Note> write =
          Sending.post(server.url("/notes?kind=a")).withHeaders(headers());

      Sending.Outputs outputs = Sending.run(Note.of(0, 2), write);

      for (EffectServer.Asked request : server.requests) {
        assertThat(request.headers().getFirst("Authorization"), is("Bearer " + SECRET));
        assertThat(request.headers().getFirst("X-Api-Key"), is(SECRET));
      }
      // The server says what it was told.
      assertThat(outputs.dead().get(0).message(), is("HTTP 422: no: Bearer [hidden]"));
      byte[] serialised = SerializableUtils.serializeToByteArray(write.target());
      assertHidden(new String(serialised, StandardCharsets.ISO_8859_1));
      assertHidden(DisplayData.from(write).toString());
      assertHidden(write.toString() + write.target() + headers());
    }
  }

  @Test
  void errorsTellNoSecret() throws Exception {
    try (EffectServer server = new EffectServer((number, request) -> Fault.status(401))) {
      String url = server.url("/notes?token=" + SECRET);
      var e =
          assertThrows(
              Pipeline.PipelineExecutionException.class,
              () -> Sending.run(Note.of(0, 1), Sending.post(url).withHeaders(headers())));

      assertThat(text(e), containsString("Check the credentials in the headers"));
      assertHidden(text(e));
    }
    Path file = Files.writeString(directory.resolve("two-lines"), "a\n" + SECRET);
    var e =
        assertThrows(
            Pipeline.PipelineExecutionException.class,
            () ->
                Sending.run(
                    Note.of(0, 1),
                    Sending.post("http://127.0.0.1:1/")
                        .withHeaders(HttpHeaders.none().with("X-Key", "${file:" + file + "}"))));
    assertThat(text(e), containsString("must be one line"));
    assertHidden(text(e));
  }

  @Test
  void literalSecretsAreRefusedAndNotShown() {
    for (String name : List.of("Authorization", "Cookie", "X-Api-Key", "X-Auth-Token")) {
      var e =
          assertThrows(IllegalArgumentException.class, () -> HttpHeaders.none().with(name, SECRET));
      assertHidden(text(e));
    }
    for (String url : List.of("http://u:" + SECRET + "@h/", "http://u:" + SECRET + "@h h/")) {
      var e = assertThrows(IllegalArgumentException.class, () -> HttpEffectIO.<Note>post(url));
      assertHidden(text(e));
    }
    assertThat(
        HttpHeaders.none().with("Authorization", "Bearer ${env:TOKEN}").names().size(), is(1));
  }

  @Test
  void headersThatTheClientSetsAreRefused() {
    for (String name : List.of("Host", "content-length", "a b", "")) {
      assertThrows(IllegalArgumentException.class, () -> HttpHeaders.none().with(name, "x"));
    }
  }

  private static String text(Throwable thrown) {
    StringWriter text = new StringWriter();
    thrown.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
