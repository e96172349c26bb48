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
package dev.idem.pipelines.backfill;

import dev.idem.io.checkpoint.Staging;
import dev.idem.io.file.Storage;
import dev.idem.io.file.StoredFile;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * Where workers leave the list of a backfill's files: a directory of the attempt's own beside the
 * table, where all of them can write. The attempt deletes it as soon as it has read the list; one
 * that is killed before leaves it.
 *
 * <p>Backfills of a table hold no lease, so that another attempt cannot tell whether one is at
 * work: what is left is deleted by its age, as orphaned data files are.
 */
public final class BackfillStaging {

  private static final String MARK = "_backfill-";

  private static final Pattern ATTEMPT =
      Pattern.compile(".*" + MARK + "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private BackfillStaging() {}

  static Staging beside(String table, Map<String, String> hadoopConfiguration) {
    return new Staging(table + MARK + UUID.randomUUID(), hadoopConfiguration);
  }

  /**
   * Deletes what killed backfills of a table left, and returns the files, by names from the table's
   * directory.
   *
   * @param table a local path, or a URI of a scheme that is supported
   * @param before only attempts that wrote nothing since; no backfill takes longer
   * @param dryRun whether to tell only
   */
  public static List<StoredFile> clean(
      String table, Map<String, String> hadoopConfiguration, Instant before, boolean dryRun)
      throws IOException {
    Storage storage = Storage.at("Table path", table, hadoopConfiguration);
    String name = storage.path("").replaceFirst(".*/", "");
    List<StoredFile> left = new ArrayList<>();
    for (String attempt : storage.names("..")) {
      if (attempt.startsWith(name + MARK) && ATTEMPT.matcher(attempt).matches()) {
        left.addAll(clean(storage, "../" + attempt, before, dryRun));
      }
    }
    return left;
  }

  private static List<StoredFile> clean(
      Storage storage, String attempt, Instant before, boolean dryRun) throws IOException {
    List<StoredFile> all = new ArrayList<>();
    walk(storage, attempt, all);
    List<StoredFile> files = all.stream().filter(file -> !file.directory()).toList();
    // An object store has no times of directories, and none that are empty.
    boolean old =
        (files.isEmpty() ? all : files)
            .stream().allMatch(file -> file.modified() < before.toEpochMilli());
    if (!old) {
      return List.of();
    }
    for (StoredFile each : dryRun ? List.<StoredFile>of() : all) {
      storage.delete(each.name());
    }
    return files;
  }

  /** Adds what is in a directory, and then the directory itself. */
  private static void walk(Storage storage, String directory, List<StoredFile> all)
      throws IOException {
    for (StoredFile file : storage.list(directory, "")) {
      String name = directory + "/" + file.name();
      if (file.directory()) {
        walk(storage, name, all);
      } else {
        all.add(new StoredFile(name, false, file.size(), file.modified()));
      }
    }
    Optional<StoredFile> found = storage.find(directory);
    if (found.isPresent()) {
      all.add(new StoredFile(directory, true, 0, found.get().modified()));
    }
  }
}
