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
package dev.idem.io.delta;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.table.DeltaRecord;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class CommittedWindowsTest {

  private static final IntervalWindow WINDOW =
      new IntervalWindow(Instant.parse("2026-03-01T00:00:00Z"), Duration.standardMinutes(1));

  private static CommittedWindows stored(CommittedWindows windows) {
    return CommittedWindows.of(
        new DeltaRecord("a/main#0", 0, "window 0", "0-0", "", "id", windows.body(WINDOW)));
  }

  @Test
  void windowIsRememberedNewOrForgottenWhateverTheOrder() {
    long seed = new Random().nextLong();
    System.out.println("seed " + seed);
    Random random = new Random(seed);
    for (int run = 0; run < 20; run++) {
      List<Long> order = new ArrayList<>();
      for (long index = -200; index < 400; index++) {
        if (random.nextInt(4) > 0) {
          order.add(index);
        }
      }
      // From almost in order to in none.
      for (int swap = 0; swap < run * 40; swap++) {
        Collections.swap(order, random.nextInt(order.size()), random.nextInt(order.size()));
      }
      CommittedWindows windows = CommittedWindows.NONE;
      Set<Long> committed = new HashSet<>();
      for (long index : order) {
        if (windows.forgets(index)) {
          continue;
        }
        assertThat("seed " + seed, windows.content(index), is(Optional.empty()));
        windows = stored(windows.plus(index, "1-" + index));
        committed.add(index);
        assertThat("seed " + seed, windows.content(index), is(Optional.of("1-" + index)));
      }
      assertThat(windows.contents().size(), is(CommittedWindows.REMEMBERED));
      for (long index = -250; index < 450; index++) {
        boolean known = windows.content(index).equals(Optional.of("1-" + index));
        boolean forgotten = windows.forgets(index);
        String what = "seed " + seed + ", window " + index;
        // Never taken for new if it was committed, never for committed if it was not.
        assertThat(what, known || forgotten || !committed.contains(index), is(true));
        assertThat(what, known && !committed.contains(index), is(false));
        assertThat(what, windows.content(index).isPresent(), equalTo(known));
      }
    }
  }

  @Test
  void nothingIsForgottenBeforeThereAreTooMany() {
    CommittedWindows windows = CommittedWindows.NONE;
    for (int index = CommittedWindows.REMEMBERED; index > 0; index--) {
      windows = windows.plus(index, "c");
    }
    assertThat(windows.forgets(0), is(false));
    assertThat(windows.forgets(-1), is(false));

    CommittedWindows more = windows.plus(0, "c");

    assertThat(more.content(0), is(Optional.of("c")));
    assertThat(more.content(1), is(Optional.empty()));
    assertThat(more.forgets(1), is(true));
    assertThat(more.forgets(-1), is(true));
    assertThat(more.content(2), is(Optional.of("c")));

    CommittedWindows evenMore = more.plus(1000, "c");

    assertThat(evenMore.content(0), is(Optional.empty()));
    assertThat(evenMore.forgets(0), is(true));
    assertThat(evenMore.forgets(1), is(true));
    assertThat(evenMore.content(2), is(Optional.of("c")));
  }
}
