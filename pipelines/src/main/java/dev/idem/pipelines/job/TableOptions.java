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
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The table that a command fills. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class TableOptions {

  @Option(names = "--table", required = true, paramLabel = "DIR", description = "The Delta table.")
  private String table;

  @Option(
      names = "--partitionBy",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The table's partition columns, if it is created.")
  private List<String> partitionBy = new ArrayList<>();

  /** Returns the table, as it is appended to. */
  public DeltaTarget target() {
    return target("table");
  }

  DeltaTarget target(String name) {
    return DeltaTarget.at(name, table).withPartitionColumns(partitionBy.toArray(String[]::new));
  }
}
