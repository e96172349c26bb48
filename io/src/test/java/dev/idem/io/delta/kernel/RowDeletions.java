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
package dev.idem.io.delta.kernel;

import dev.idem.io.file.Storage;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** Deletes rows of tables by deletion vectors. */
public final class RowDeletions {

  private RowDeletions() {}

  /** Deletes the rows with some values of a column in one commit, and returns its version. */
  public static long delete(Path table, String column, Predicate<Object> which) throws IOException {
    KernelSnapshot snapshot = snapshot(table);
    return commit(snapshot, actions(snapshot, column, which));
  }

  /** Writes deletion vectors that no commit has, and returns the name of their file. */
  public static String withoutCommit(Path table, String column, Predicate<Object> which)
      throws IOException {
    DeletionVectorDescriptor vector =
        actions(snapshot(table), column, which).stream()
            .filter(KernelCommit.Action::add)
            .findFirst()
            .flatMap(action -> action.file().deletionVector())
            .orElseThrow();
    return table.relativize(Path.of(vector.getAbsolutePath(table.toString()))).toString();
  }

  private static List<KernelCommit.Action> actions(
      KernelSnapshot snapshot, String column, Predicate<Object> which) throws IOException {
    Map<KernelFile, long[]> deleted = new LinkedHashMap<>();
    for (KernelFile file : snapshot.files()) {
      deleted.put(file, positions(snapshot, file, column, which));
    }
    return snapshot.deleteRows(deleted);
  }

  static KernelSnapshot snapshot(Path table) {
    Storage storage = Storage.at("Table path", table.toString(), Map.of());
    return KernelTable.at(storage, Map.of(), Clock.systemUTC()).load().orElseThrow();
  }

  static long[] positions(
      KernelSnapshot snapshot, KernelFile file, String column, Predicate<Object> which)
      throws IOException {
    KernelScan scan = snapshot.scan(List.of(column));
    List<Long> positions = new ArrayList<>();
    for (String handle : scan.handles(each -> each.identity().equals(file.identity()))) {
      scan.read(
          handle,
          (position, values) -> {
            if (which.test(values[0])) {
              positions.add(position);
            }
          });
    }
    return positions.stream().mapToLong(Long::longValue).toArray();
  }

  static long commit(KernelSnapshot snapshot, List<KernelCommit.Action> actions) {
    try {
      return snapshot.commit(
          new KernelCommit(
              Optional.empty(),
              List.of(),
              actions,
              Optional.empty(),
              true,
              Map.of(),
              Map.of(),
              ""));
    } catch (KernelConflictException e) {
      throw new IllegalStateException(e);
    }
  }
}
