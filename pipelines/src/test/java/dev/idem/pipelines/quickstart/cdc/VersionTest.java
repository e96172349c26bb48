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
package dev.idem.pipelines.quickstart.cdc;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.pipelines.quickstart.cdc.Version.Position;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

class VersionTest {

  /** A version from a change to another one, which is -1 if there is none. */
  private static Version version(long id, long start, long end) {
    Account account =
        new Account(
            id, "owner", BigDecimal.ONE, true, null, LocalDateTime.MIN, Instant.EPOCH, null);
    return new Version(account, new Position(7, start), end == -1 ? null : new Position(7, end));
  }

  @Test
  void versionsThatFollowOneAnotherDoNotOverlap() {
    assertThat(
        Version.overlapping(
            List.of(
                version(1, 5, -1),
                version(1, 1, 3),
                version(1, 3, 4),
                version(2, 1, 2),
                version(2, 0, 1),
                version(3, 2, -1))),
        is(0L));
  }

  @Test
  void versionThatEndsAfterTheNextBeginsOverlaps() {
    assertThat(Version.overlapping(List.of(version(1, 3, -1), version(1, 1, 4))), is(1L));
  }

  @Test
  void openVersionBeforeAnotherOverlaps() {
    assertThat(Version.overlapping(List.of(version(1, 3, -1), version(1, 1, -1))), is(1L));
  }

  @Test
  void versionThatDoesNotEndAfterItsBeginningOverlaps() {
    assertThat(Version.overlapping(List.of(version(1, 3, 3), version(2, 3, 2))), is(2L));
  }

  @Test
  void positionsAreOrderedByTransactionAndThenByChange() {
    assertThat(new Position(1, 9).compareTo(new Position(2, 0)) < 0, is(true));
    assertThat(new Position(1, 9).compareTo(new Position(1, 10)) < 0, is(true));
    assertThat(new Position(1, 9).compareTo(new Position(1, 9)), is(0));
  }
}
