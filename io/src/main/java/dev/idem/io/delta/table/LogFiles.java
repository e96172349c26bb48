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

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.idem.io.delta.error.DeltaTableException;
import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.net.URI;
import java.util.List;

/** Data files as the log has them. */
public final class LogFiles {

  private static final JsonMapper JSON = new JsonMapper();

  private LogFiles() {}

  /** Returns a data file that the log names. */
  static DataFile dataFile(KernelFile file) {
    String stats = file.stats() == null ? "" : file.stats();
    return new DataFile(
        file.path(),
        file.size(),
        file.modificationTime(),
        file.partitionValues(),
        stats,
        rows(file));
  }

  /** Returns how many rows a file was written with, -1 if that is not known. */
  public static long rows(KernelFile file) {
    if (file.stats() == null || file.stats().isEmpty()) {
      return -1;
    }
    try {
      return JSON.readTree(file.stats()).path("numRecords").asLong(-1);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Statistics must be JSON in " + file.path(), e);
    }
  }

  /** Returns a data file as a commit adds or removes it. */
  public static KernelFile kernelFile(DataFile file) {
    return KernelFile.of(
        file.path(),
        file.size(),
        file.modificationTime(),
        file.partitionValues(),
        file.stats().isEmpty() ? null : file.stats());
  }

  /** Returns the name in the table's storage of a file that the log knows by a URI. */
  static String name(String file) {
    URI uri = URI.create(file);
    return uri.getScheme() == null || uri.getAuthority() == null
        ? uri.getPath()
        : uri.getScheme() + "://" + uri.getAuthority() + uri.getPath();
  }

  /**
   * Deletes files that the log knows by these URIs.
   *
   * @return how many were there
   * @throws DeltaTableException if one cannot be deleted
   */
  public static int delete(Storage table, List<String> files) {
    int deleted = 0;
    for (String file : files) {
      try {
        deleted += table.delete(name(file)) ? 1 : 0;
      } catch (IOException e) {
        throw TableErrors.notDeleted(table.path(""), file, e);
      }
    }
    return deleted;
  }
}
