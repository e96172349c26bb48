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
package dev.idem.pipelines.source;

import dev.idem.io.delta.changes.OnChanges;
import java.util.Map;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Option;

/** The options of every command that reads a Delta Lake table. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class DeltaSourceOptions {

  @Option(
      names = "--sourceTable",
      required = true,
      paramLabel = "DIR",
      description = "The Delta table to read.")
  private String sourceTable;

  @Option(
      names = "--startingVersion",
      paramLabel = "snapshot|latest|N|timestamp:ISO",
      defaultValue = "snapshot",
      description = "Begin with the table as it is, or with what is committed from there on.")
  private String startingVersion;

  @Option(
      names = "--onChanges",
      paramLabel = "fail|ignore|cdf",
      defaultValue = "fail",
      description =
          "Commits that take rows out: fail, leave them out whole, or take every change of the"
              + " change data feed as a row of its own.")
  private OnChanges onChanges;

  @Option(
      names = "--eventTime",
      paramLabel = "COLUMN",
      description = "The event time; default the time of the commit.")
  private @Nullable String eventTime;

  /** Returns whether rows are changes of the table, from its change data feed. */
  public boolean readsChanges() {
    return onChanges == OnChanges.CDF;
  }

  /** Returns the table as a source. */
  public DeltaSource source(Map<String, String> hadoopConfiguration) {
    DeltaSource source =
        DeltaSource.table(sourceTable)
            .withStartingVersion(startingVersion)
            .onChanges(onChanges)
            .withHadoopConfiguration(hadoopConfiguration);
    return eventTime == null ? source : source.withEventTime(eventTime);
  }
}
