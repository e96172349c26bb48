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
package dev.idem.pipelines.failure;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class CrashTest {

  @Test
  void crashPointMayNameABatch() {
    assertThat(Crash.parse("between-targets:12"), is(new Crash(CrashPoint.BETWEEN_TARGETS, 12L)));
    assertThat(Crash.parse("mid-write"), is(new Crash(CrashPoint.MID_WRITE, null)));
    for (String bad : new String[] {"", "nowhere", "mid-write:", "mid-write:x", "mid-write:-1"}) {
      assertThrows(IllegalArgumentException.class, () -> Crash.parse(bad), bad);
    }
  }

  @Test
  void everyCrashPointHasItsNameOnTheCommandLine() {
    for (CrashPoint point : CrashPoint.values()) {
      assertThat(CrashPoint.parse(point.option()), is(point));
    }
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> CrashPoint.parse("MID_WRITE"))
            .getMessage(),
        containsString(
            "before-offsets, after-offsets, mid-write, after-write, before-target-commit,"
                + " after-target-write, after-target-commit, between-targets, before-commits, after-commits"));
  }

  @Test
  void pointThatWasNotReachedIsAFailureThatNamesIt() {
    Crash.NEVER.requireReached();
    var failed =
        assertThrows(JobFailedException.class, () -> Crash.parse("mid-write:7").requireReached());

    assertThat(
        failed.getMessage(), containsString("Crash point mid-write of batch 7 must be reached"));
  }
}
