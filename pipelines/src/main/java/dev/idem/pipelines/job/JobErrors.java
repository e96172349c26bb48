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

import dev.idem.io.checkpoint.Summary;
import dev.idem.pipelines.failure.JobFailedException;
import dev.idem.pipelines.failure.JobRefusedException;
import java.util.Locale;

/** Every refusal and failure of a batch, in one place, so that their wording stays one. */
final class JobErrors {

  private JobErrors() {}

  /**
   * Says that a batch has too many dead letters.
   *
   * @param rejected those among them that targets did not take, 0 if none was asked yet
   */
  static JobFailedException tooManyDeadLetters(
      long batch, long letters, long rejected, long read, double limit) {
    return new JobFailedException(
        String.format(
            Locale.ROOT,
            "Dead letters must be at most %.1f%% of the records read, but batch %d has %d of %d"
                + " (%.1f%%). %s",
            100 * limit,
            batch,
            letters,
            read,
            100.0 * letters / read,
            rejected == 0
                ? "Nothing was committed. Check --format and --schema, or raise --maxDeadLetters."
                : rejected
                    + " of them were rejected by targets, which may hold the rows that they took;"
                    + " the batch is not done. Make the targets take the rows, or raise"
                    + " --maxDeadLetters."));
  }

  static JobRefusedException changedContent(
      long batch, String target, String output, Summary.Output held, Summary.Output now) {
    return new JobRefusedException(
        "Batch "
            + batch
            + " must have the same content at every attempt, but target \""
            + target
            + "\" was committed by an attempt in which output \""
            + output
            + "\" had "
            + held.rows()
            + " rows with hash "
            + held.content()
            + ", and this attempt has "
            + now.rows()
            + " rows with hash "
            + now.content()
            + ". Nothing was committed. A function of the job gives other rows for the same records:"
            + " make it as it was, or accept both contents with --onChangedContent=complete.");
  }
}
