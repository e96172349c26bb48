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
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;

import dev.idem.pipelines.failure.JobFailedException;
import dev.idem.pipelines.failure.JobRefusedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.beam.sdk.Pipeline;
import org.junit.jupiter.api.Test;

class FailureTest {

  private record Reported(int exit, String text) {}

  private static Reported report(Exception failure) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int exit = Failure.report(failure, new PrintStream(bytes, true, StandardCharsets.UTF_8));
    return new Reported(exit, bytes.toString(StandardCharsets.UTF_8));
  }

  private static JobRefusedException refusal() {
    return new JobRefusedException("Kafka cluster must be another one.");
  }

  @Test
  void refusalIsSaidInOneLineAndExitsThree() {
    Reported reported = report(refusal());

    assertThat(reported.exit(), is(3));
    assertThat(reported.text().strip(), is("idem: " + refusal().getMessage()));
  }

  @Test
  void refusalInsideARunnersExceptionsIsFound() {
    Exception wrapped =
        new Pipeline.PipelineExecutionException(
            new RuntimeException("task failed", new IllegalStateException("user code", refusal())));

    Reported reported = report(wrapped);

    assertThat(reported.exit(), is(3));
    assertThat(reported.text(), startsWith("idem: Kafka cluster must be"));
    assertThat(reported.text(), not(containsString("task failed")));
  }

  @Test
  void ownFailureExitsOne() {
    assertThat(report(new JobFailedException("Point must be reached.")).exit(), is(1));
    assertThat(report(JobErrors.tooManyDeadLetters(1, 2, 0, 3, 0.1)).exit(), is(1));
  }

  @Test
  void wrongOptionExitsTwo() {
    assertThat(report(new IllegalArgumentException("Option must be right.")).exit(), is(2));
  }

  @Test
  void foreignFailureExitsOneWithItsTrace() {
    Reported reported = report(new IOException("disk"));

    assertThat(reported.exit(), is(1));
    assertThat(reported.text(), containsString("idem: disk"));
    assertThat(reported.text(), containsString("at dev.idem.pipelines.job.FailureTest"));
  }
}
