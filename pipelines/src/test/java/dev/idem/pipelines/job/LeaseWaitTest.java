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
package dev.idem.pipelines.job;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.checkpoint.Checkpoint;
import dev.idem.io.checkpoint.LeaseHeldException;
import dev.idem.io.checkpoint.LeaseOwner;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeaseWaitTest {

  @TempDir Path root;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private final Clock clock = ((InstantSource) () -> now).withZone(ZoneOffset.UTC);
  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private int pauses;

  @Test
  void deadHolderOnAnotherHostIsReplacedOnceItsHeartbeatStoodStill() throws Exception {
    LeaseOwner dead = deadElsewhere();

    try (Checkpoint checkpoint = open(pause -> false)) {
      assertThat(checkpoint.lease().generation(), is(2L));
    }

    assertThat(pauses, is(60));
    assertThat(
        said(),
        contains(
            "the checkpoint is held by "
                + dead
                + ": waiting 60 s at most, to take over if its heartbeat stands still"));
  }

  @Test
  void liveHolderOnAnotherHostIsRefusedByNameAtItsFirstBeat() throws IOException {
    LeaseOwner alive = deadElsewhere();

    var refused =
        assertThrows(
            LeaseHeldException.class,
            () ->
                open(
                    pause -> {
                      if (pause == 7) {
                        beat();
                      }
                      return false;
                    }));

    assertThat(pauses, is(7));
    assertThat(refused.holder(), is(alive));
    assertThat(refused.getMessage(), containsString(alive.toString()));
    assertThat(Files.exists(root.resolve("lease/2")), is(false));
  }

  @Test
  void clockThatIsSetForwardProvesNobodyDead() throws IOException {
    LeaseOwner alive = deadElsewhere();

    var refused =
        assertThrows(
            LeaseHeldException.class,
            () ->
                open(
                    pause -> {
                      now = now.plus(Duration.ofDays(1));
                      if (pause == 7) {
                        beat();
                      }
                      return false;
                    }));

    assertThat(pauses, is(7));
    assertThat(refused.holder(), is(alive));
  }

  @Test
  void jobThatIsToldToStopWaitsNoMore() throws Exception {
    deadElsewhere();

    assertThat(open(pause -> pause == 3), is(nullValue()));

    assertThat(pauses, is(3));
    assertThat(Files.exists(root.resolve("lease/2")), is(false));
  }

  @Test
  void holderOnThisHostIsRefusedWithoutAWait() throws Exception {
    try (Checkpoint held = Checkpoint.open(root.toString(), "app", clock)) {
      var refused = assertThrows(LeaseHeldException.class, () -> open(pause -> false));

      assertThat(refused.holder(), is(held.lease().owner()));
    }

    assertThat(pauses, is(0));
    assertThat(said(), is(List.of()));
  }

  private interface AtPause {
    boolean stops(int pause) throws IOException;
  }

  private Checkpoint open(AtPause atPause) throws IOException, InterruptedException {
    return LeaseWait.open(
        Settings.at(root.toString(), clock),
        new Progress(new PrintStream(said, true, StandardCharsets.UTF_8)),
        time -> {
          pauses++;
          try {
            return atPause.stops(pauses);
          } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
          }
        });
  }

  /** Leaves what a job leaves that was killed on a host of another name. */
  private LeaseOwner deadElsewhere() throws IOException {
    System.setProperty("idem.host", "elsewhere");
    LeaseOwner owner;
    try (Checkpoint checkpoint = Checkpoint.open(root.toString(), "app", clock)) {
      owner = checkpoint.lease().owner();
    } finally {
      System.clearProperty("idem.host");
    }
    Files.delete(root.resolve("lease/1.released"));
    return owner;
  }

  private void beat() throws IOException {
    Files.writeString(root.resolve("lease/1.beat"), "%018d".formatted(1));
  }

  private List<String> said() {
    return said.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
