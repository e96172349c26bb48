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
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.checkpoint.Agreement;
import dev.idem.pipelines.batch.EventTimeRules;
import dev.idem.pipelines.failure.Crash;
import dev.idem.pipelines.plan.OnDataLoss;
import dev.idem.pipelines.plan.PlanSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class JobOptionsTest {

  private static JobSettings settings(String... options) {
    return Settings.of(Clock.systemUTC(), options);
  }

  @ParameterizedTest
  @CsvSource({"250ms,PT0.25S", "10s,PT10S", "5m,PT5M", "2H,PT2H", "7d,PT168H", "PT1M30S,PT1M30S"})
  void durationHasAUnit(String text, Duration duration) {
    assertThat(JobOptions.duration(text), is(duration));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"5", "", "-5m", "5 m", "m", "99999999999999999999d", "9223372036854775807d"})
  void otherTextIsNoDuration(String text) {
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> JobOptions.duration(text)).getMessage(),
        containsString("but was: \"" + text));
  }

  @Test
  void shareIsAPercentage() {
    assertThat(settings("--maxDeadLetters=100%").maxDeadLetters(), is(1.0));
    assertThat(settings("--maxDeadLetters=0.5%").maxDeadLetters(), is(0.005));
    assertThat(settings().maxDeadLetters(), is(0.1));
    for (String bad : new String[] {"10", "101%", "-1%", "ten%", "%"}) {
      assertThrows(CommandLine.ParameterException.class, () -> settings("--maxDeadLetters=" + bad));
    }
  }

  @Test
  void horizonAndIdleTimeFollowTheDelay() {
    EventTimeRules followed = settings("--watermarkDelay=1m").eventTime();
    EventTimeRules given =
        settings("--watermarkDelay=1m", "--dedupHorizon=2m", "--idleAfter=3m", "--maxFutureSkew=4m")
            .eventTime();

    assertThat(
        followed,
        is(
            new EventTimeRules(
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                Duration.ofMinutes(5),
                Duration.ofMinutes(1))));
    assertThat(
        given,
        is(
            new EventTimeRules(
                Duration.ofMinutes(1),
                Duration.ofMinutes(2),
                Duration.ofMinutes(4),
                Duration.ofMinutes(3))));
  }

  @Test
  void strictIsTheDefault() {
    JobSettings settings = settings();

    assertThat(settings.onLostCheckpoint(), is(Agreement.OnLostCheckpoint.REFUSE));
    assertThat(settings.onLostTarget(), is(Agreement.OnLostTarget.REFUSE));
    assertThat(settings.onDataLoss(), is(OnDataLoss.FAIL));
    assertThat(settings.onChangedContent(), is(JobSettings.OnChangedContent.REFUSE));
    assertThat(settings.interval(), is(Optional.empty()));
    assertThat(settings.crash(), is(Crash.NEVER));
    assertThat(settings.applicationIdGiven(), is(false));
  }

  @Test
  void planningGetsItsPartOfTheOptions() {
    Clock clock = Clock.systemUTC();
    JobSettings settings =
        Settings.of(
            clock,
            "--applicationId=mine",
            "--maxRecordsPerBatch=4",
            "--watermarkDelay=1m",
            "--onDataLoss=continue");

    assertThat(
        settings.plan(),
        is(new PlanSettings("mine", 4, settings.eventTime(), OnDataLoss.CONTINUE, clock)));
  }

  @Test
  void applicationIdIsKnownToBeGiven() {
    JobSettings settings = settings("--applicationId=mine");

    assertThat(settings.applicationId(), is("mine"));
    assertThat(settings.applicationIdGiven(), is(true));
  }

  @Test
  void intervalAndBoundAreChecked() {
    assertThat(settings("--trigger=10s").interval(), is(Optional.of(Duration.ofSeconds(10))));
    assertThrows(IllegalArgumentException.class, () -> settings("--trigger=often"));
    assertThrows(IllegalArgumentException.class, () -> settings("--maxRecordsPerBatch=0"));
  }
}
