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
package dev.idem.io.delta.maintenance;

import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.table.LogFiles;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The files of a version that are to be rewritten, in groups of which each becomes one file; or, to
 * cluster them, all files of a partition in one group.
 *
 * @param files how many files the wanted partitions have
 * @param bytes their bytes
 */
record FileGroups(List<Group> groups, long files, long bytes) {

  /** A file with more than this share of its rows deleted is rewritten, whatever its size. */
  private static final double MAX_DELETED = 0.05;

  /** Files of one partition, and how many rows they have; -1 if that is not known. */
  record Group(Map<String, String> partition, List<KernelFile> files, long rows) {
    long bytes() {
      return files.stream().mapToLong(KernelFile::size).sum();
    }
  }

  static FileGroups of(
      KernelSnapshot snapshot,
      PartitionFilter wanted,
      OptimizeSpec spec,
      Optional<Clustering> clustering) {
    long target = spec.targetFileSize();
    Selection selection =
        new Selection(
            clustering.isPresent()
                ? file -> true
                : file -> file.size() < target - target / 4 || mostlyDeleted(file));
    snapshot.forEachFile(
        file -> {
          if (wanted.accepts(file.partitionValues())) {
            selection.add(file);
          }
        });
    List<Group> groups = new ArrayList<>();
    selection.chosen.forEach(
        (partition, files) -> {
          if (clustering.isPresent()) {
            int toCluster = clustering.get().toCluster(files, file -> !mostlyDeleted(file));
            if (toCluster >= spec.minInputFiles()) {
              groups.add(new Group(partition, List.copyOf(files), rows(files)));
            }
          } else if (files.size() >= spec.minInputFiles()) {
            groups.addAll(pack(partition, files, target));
          }
        });
    return new FileGroups(List.copyOf(groups), selection.files, selection.bytes);
  }

  private static final class Selection {
    private final Predicate<KernelFile> wanted;
    private final Map<Map<String, String>, List<KernelFile>> chosen = new HashMap<>();
    private long files;
    private long bytes;

    Selection(Predicate<KernelFile> wanted) {
      this.wanted = wanted;
    }

    void add(KernelFile file) {
      files++;
      bytes += file.size();
      if (wanted.test(file)) {
        chosen.computeIfAbsent(file.partitionValues(), values -> new ArrayList<>()).add(file);
      }
    }
  }

  private static boolean mostlyDeleted(KernelFile file) {
    return file.deletedRows() > 0
        && file.deletedRows() > MAX_DELETED * Math.max(LogFiles.rows(file), 0);
  }

  /**
   * Packs files in the order in which they were written, so that the bounds of what grows with time
   * stay narrow. Of two groups next to each other neither would have room for the other, so what a
   * run leaves is not rewritten by the next.
   */
  private static List<Group> pack(
      Map<String, String> partition, List<KernelFile> files, long target) {
    files.sort(
        Comparator.comparingLong(KernelFile::modificationTime).thenComparing(KernelFile::path));
    List<Group> groups = new ArrayList<>();
    List<KernelFile> open = new ArrayList<>();
    long size = 0;
    for (KernelFile file : files) {
      if (!open.isEmpty() && size + file.size() > target) {
        close(partition, open, groups);
        open = new ArrayList<>();
        size = 0;
      }
      open.add(file);
      size += file.size();
    }
    close(partition, open, groups);
    return groups;
  }

  private static void close(
      Map<String, String> partition, List<KernelFile> files, List<Group> groups) {
    if (files.size() > 1 || files.stream().anyMatch(FileGroups::mostlyDeleted)) {
      groups.add(new Group(partition, List.copyOf(files), rows(files)));
    }
  }

  private static long rows(List<KernelFile> files) {
    long rows = 0;
    for (KernelFile file : files) {
      long written = LogFiles.rows(file);
      if (written < 0) {
        return -1;
      }
      rows += written - file.deletedRows();
    }
    return rows;
  }
}
