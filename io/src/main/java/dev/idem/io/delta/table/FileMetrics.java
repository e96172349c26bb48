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

import dev.idem.io.delta.file.DataFile;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;

/** What the table's history says of the files of a commit, under the names that Spark uses. */
final class FileMetrics {

  private FileMetrics() {}

  /**
   * Returns the metrics of a commit.
   *
   * @param added the files with new rows
   * @param removed the files that leave the table, whether or not their rows stay
   */
  static Map<String, String> of(List<DataFile> added, List<DataFile> removed) {
    Map<String, String> metrics = new HashMap<>();
    metrics.put("numFiles", Integer.toString(added.size()));
    metrics.put("numOutputRows", sum(added, DataFile::rows));
    metrics.put("numOutputBytes", sum(added, DataFile::size));
    if (!removed.isEmpty()) {
      metrics.put("numRemovedFiles", Integer.toString(removed.size()));
      metrics.put("numRemovedBytes", sum(removed, DataFile::size));
    }
    return metrics;
  }

  private static String sum(List<DataFile> files, ToLongFunction<DataFile> figure) {
    return Long.toString(files.stream().mapToLong(figure).sum());
  }
}
