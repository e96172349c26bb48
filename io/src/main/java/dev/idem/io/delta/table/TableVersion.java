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
package dev.idem.io.delta.table;

import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelTable;
import dev.idem.io.file.Storage;
import java.io.Serializable;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** One version of a table, and which columns of it to read, for workers to open. */
public record TableVersion(
    String path, long version, List<String> columns, Map<String, String> hadoopConfiguration)
    implements Serializable {

  /** Takes copies of the collections. */
  public TableVersion {
    columns = List.copyOf(columns);
    // Ordered, so that the serialised form is the same on every run.
    hadoopConfiguration = new TreeMap<>(hadoopConfiguration);
  }

  /** Opens the version for a worker to read. */
  public KernelScan scan() {
    Storage storage = Storage.at("Table path", path, hadoopConfiguration);
    return KernelTable.at(storage, hadoopConfiguration, Clock.systemUTC())
        .load(version)
        .orElseThrow(
            () -> new IllegalStateException("Table must stay while it is read: " + path + "."))
        .scan(columns);
  }
}
