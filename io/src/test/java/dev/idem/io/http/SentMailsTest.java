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

import dev.idem.io.http.EffectServer.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The guide shows what is compiled, and it does what the guide says. */
class SentMailsTest {

  private static final Schema ORDER =
      Schema.builder().addStringField("id").addInt64Field("version").addStringField("mail").build();

  @TempDir private Path directory;

  @Test
  void guideShowsWhatIsCompiled() throws IOException {
    String source = Files.readString(Path.of("src/test/java/dev/idem/io/http/SentMails.java"));
    String shown = Files.readString(Path.of("../src/site/markdown/http-effects.md"));

    assertThat(shown, containsString(source.substring(source.indexOf("/** Has a mail"))));
  }

  @Test
  void mailsAreSentOnce() throws Exception {
    Files.writeString(directory.resolve("headers.properties"), "Authorization=Bearer abc");
    try (EffectServer server = new EffectServer((number, request) -> Fault.NONE)) {
      for (int run = 0; run < 2; run++) {
        Pipeline pipeline = Pipeline.create();
        SentMails.send(
            pipeline.apply(
                Create.of(Row.withSchema(ORDER).addValues("o1", 1L, "hello").build())
                    .withRowSchema(ORDER)),
            server.url("/mails"),
            directory);
        pipeline.run().waitUntilFinish();
        server.forgetKeys();
      }

      assertThat(server.effects(), is(List.of("/mails hello")));
      assertThat(server.asked(), is(1));
      assertThat(server.requests.get(0).headers().getFirst("Authorization"), is("Bearer abc"));
    }
  }
}
