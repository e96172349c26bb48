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
package dev.idem.testing;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.testing.FaultProxy.Phase;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SqlTrafficTest {
  private static final List<Phase> ALL = List.of(Phase.SESSION, Phase.EXECUTE, Phase.COMMIT);

  @Test
  void messagesOfPostgresMayBeCutAnywhere() {
    List<byte[]> messages =
        List.of(
            ByteBuffer.allocate(8).putInt(8).putInt(80877103).array(),
            ByteBuffer.allocate(9).putInt(9).putInt(196608).put((byte) 0).array(),
            postgres('p', "secret\0"),
            postgres('Q', "SET x = 1\0"),
            postgres('P', "S_1\0commit\0\0\0"),
            postgres('P', "S_2\0INSERT INTO t VALUES ($1)\0\0\0"),
            postgres('B', "\0S_2\0COMMIT"),
            postgres('E', "\0\0\0\0\0"),
            postgres('S', ""),
            postgres('B', "\0S_1\0"),
            postgres('E', "\0\0\0\0\0"),
            postgres('S', ""));

    assertThat(phases(SqlTraffic.of("PostgreSQL"), messages), is(ALL));
  }

  @Test
  void messagesOfMariaDbMayBeCutAnywhere() {
    List<byte[]> messages =
        List.of(
            mariaDb(1, "log-in\3COMMIT"),
            mariaDb(0, "\3set autocommit=0"),
            mariaDb(0, "\3INSERT INTO t VALUES (1)"),
            // Of a file that the server asked for.
            mariaDb(2, "\3COMMIT"),
            mariaDb(0, "\3INSERT INTO t VALUES (2)"),
            mariaDb(0, "\3 Commit"));

    assertThat(phases(SqlTraffic.of("MariaDB"), messages), is(ALL));
  }

  @Test
  void onlyTheFirstBytesOfAnAnswerAreTheCommits() {
    SqlTraffic traffic = SqlTraffic.of("MariaDB");
    traffic.sent(mariaDb(0, "\3COMMIT"));

    assertThat(traffic.answered(), is(Phase.COMMIT));
    assertThat(traffic.answered(), is(Phase.SESSION));
  }

  /** Sends one byte at a time; returns the phases without repetitions. */
  private static List<Phase> phases(SqlTraffic traffic, List<byte[]> messages) {
    List<Phase> phases = new ArrayList<>();
    for (byte[] message : messages) {
      for (byte one : message) {
        Phase phase = traffic.sent(new byte[] {one});
        if (phases.isEmpty() || phases.get(phases.size() - 1) != phase) {
          phases.add(phase);
        }
      }
    }
    return phases;
  }

  private static byte[] postgres(char type, String body) {
    byte[] text = body.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(5 + text.length)
        .put((byte) type)
        .putInt(4 + text.length)
        .put(text)
        .array();
  }

  private static byte[] mariaDb(int number, String body) {
    byte[] text = body.getBytes(StandardCharsets.US_ASCII);
    return ByteBuffer.allocate(4 + text.length)
        .put((byte) text.length)
        .putShort((short) 0)
        .put((byte) number)
        .put(text)
        .array();
  }
}
