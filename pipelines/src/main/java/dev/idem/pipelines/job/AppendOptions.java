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

import dev.idem.pipelines.targets.DeltaTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every command that appends events to a Delta Lake table. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class AppendOptions {

  @Mixin private TableOptions table;

  @Mixin private FurtherTargetOptions further;

  @Option(
      names = "--keys",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns that identify an event; without them nothing is deduplicated.")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--acceptTransactionRetention",
      paramLabel = "30d",
      converter = JobOptions.DurationConverter.class,
      description =
          "Take a table that forgets batch ids, after so long or longer; default: it is refused.")
  private @Nullable Duration acceptTransactionRetention;

  @Option(
      names = "--writeAtLeastOnce",
      description = "Write without batch ids, for comparison: a crash doubles rows.")
  private boolean writeAtLeastOnce;

  /** Returns the columns that identify an event, none if nothing is deduplicated. */
  public List<String> keys() {
    return List.copyOf(keys);
  }

  /**
   * Returns the job that appends the events of a source, deduplicated by the keys, to the table and
   * to those further targets that are named.
   */
  public Job job(Job.From from) {
    DeltaTarget target = table.target();
    if (acceptTransactionRetention != null) {
      target = target.acceptTransactionRetention(acceptTransactionRetention);
    }
    String[] keyColumns = keys.toArray(String[]::new);
    return from.through(
            (batch, events) ->
                keyColumns.length == 0
                    ? events
                    : events.apply("DeduplicateByKeys", batch.deduplicateBy(keyColumns)))
        .into(writeAtLeastOnce ? target.writeAtLeastOnce() : target, further.targets());
  }
}
