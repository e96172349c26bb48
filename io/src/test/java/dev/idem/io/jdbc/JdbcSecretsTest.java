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
package dev.idem.io.jdbc;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.DatabaseServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.util.SerializableUtils;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The password is nowhere but in its file. */
class JdbcSecretsTest {

  @TempDir private Path directory;

  @Test
  void passwordIsInNoPipelineAndInNoText() {
    DatabaseServer server = DatabaseServer.postgres();
    WriteJdbcRows write = Writing.upsertNewer(server);

    byte[] serialised =
        SerializableUtils.serializeToByteArray(
            JdbcBatchFactory.opening(write.spec(), new BatchName("app/main", 0, null, "", 0), 1));

    assertThat(
        new String(serialised, StandardCharsets.ISO_8859_1),
        not(containsString(server.password())));
    assertThat(write.toString(), not(containsString(server.password())));
    assertThat(write.spec().toString(), not(containsString(server.password())));
    assertThat(DisplayData.from(write).toString(), not(containsString(server.password())));
  }

  @Test
  void errorOfAWrongPasswordDoesNotTellIt() throws Exception {
    DatabaseServer server = DatabaseServer.postgres();
    String wrong = "wrOng-must-not-be-seen";
    Path file = Files.writeString(directory.resolve("password"), wrong);
    WriteJdbcRows write =
        Writing.upsertNewer(server)
            .withDatabase(
                JdbcDatabase.at(server.jdbcUrl()).as(server.user()).withPasswordFile(file))
            .withRetries(2, Duration.millis(1), Duration.millis(2));

    var e =
        assertThrows(
            Pipeline.PipelineExecutionException.class,
            () -> Writing.run(List.of(Writing.row(1, 1, "one")), write));

    StringWriter all = new StringWriter();
    e.printStackTrace(new PrintWriter(all));
    assertThat(all.toString(), containsString("password authentication failed"));
    assertThat(all.toString(), not(containsString(wrong)));
  }

  @Test
  void passwordInAUrlOrAPropertyIsRefusedAndNotShown() {
    for (String url :
        List.of(
            "jdbc:postgresql://h/d?password=seCret",
            "jdbc:mariadb://h/d?user=u&PASSWORD=seCret",
            "jdbc:mysql://user:seCret@h/d")) {
      var e = assertThrows(IllegalArgumentException.class, () -> JdbcDatabase.at(url));
      assertThat(e.getMessage(), containsString("must hold no password"));
      assertThat(e.getMessage(), not(containsString("seCret")));
    }
    JdbcDatabase database = JdbcDatabase.at("jdbc:postgresql://h/d");
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> database.withProperty("password", "seCret"));
    assertThat(e.getMessage(), not(containsString("seCret")));
    assertThat(database.withProperty("sslmode", "require").properties().size(), is(1));
  }
}
