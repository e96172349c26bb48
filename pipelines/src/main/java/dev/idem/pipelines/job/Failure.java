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

import dev.idem.io.checkpoint.RefusedException;
import dev.idem.io.delta.error.BatchRefusedException;
import dev.idem.io.delta.error.ContentChangedException;
import dev.idem.io.delta.error.DamagedRecordException;
import dev.idem.io.delta.error.OutsideOverwriteException;
import dev.idem.io.delta.error.RestoredTableException;
import dev.idem.io.delta.error.SchemaMismatchException;
import dev.idem.io.delta.error.TableChangedException;
import dev.idem.io.delta.error.UnusableTableException;
import dev.idem.io.delta.error.VersionGoneException;
import dev.idem.io.jdbc.JdbcBatchRefusedException;
import dev.idem.io.kafka.LogTruncatedException;
import dev.idem.io.kafka.OffsetBeyondEndException;
import dev.idem.io.kafka.OffsetOutOfRetentionException;
import dev.idem.io.kafka.publish.ProgressTopicException;
import dev.idem.pipelines.failure.JobRefusedException;
import java.io.PrintStream;
import java.util.Set;

/** Turns what ended a job into an exit code and a message. */
public final class Failure {

  /** What puts the promise at risk, whoever says it; a start that is repeated says it again. */
  private static final Set<Class<? extends RuntimeException>> REFUSALS =
      Set.of(
          RefusedException.class,
          JobRefusedException.class,
          OffsetOutOfRetentionException.class,
          dev.idem.io.kafka.publish.BatchRefusedException.class,
          dev.idem.io.kafka.publish.ContentChangedException.class,
          ProgressTopicException.class,
          JdbcBatchRefusedException.class,
          OffsetBeyondEndException.class,
          LogTruncatedException.class,
          BatchRefusedException.class,
          ContentChangedException.class,
          DamagedRecordException.class,
          OutsideOverwriteException.class,
          RestoredTableException.class,
          SchemaMismatchException.class,
          TableChangedException.class,
          UnusableTableException.class,
          VersionGoneException.class);

  private Failure() {}

  /** Says what ended a job, and returns the exit code for it. */
  public static int report(Exception failure, PrintStream err) {
    Throwable said = said(failure);
    err.println("idem: " + said.getMessage());
    if (!isOurs(said)) {
      failure.printStackTrace(err);
    }
    return code(said);
  }

  static int code(Throwable said) {
    if (isRefusal(said)) {
      return Job.REFUSED;
    }
    return said instanceof IllegalArgumentException ? Job.BAD_USAGE : Job.FAILED;
  }

  /** Runners wrap what a function threw; what this project says is the outermost of ours. */
  private static Throwable said(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (isOurs(each)) {
        return each;
      }
    }
    return failure;
  }

  private static boolean isRefusal(Throwable failure) {
    return REFUSALS.stream().anyMatch(type -> type.isInstance(failure));
  }

  private static boolean isOurs(Throwable failure) {
    return failure.getClass().getName().startsWith("dev.idem.");
  }
}
