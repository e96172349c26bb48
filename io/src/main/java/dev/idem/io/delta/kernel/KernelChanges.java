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

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delta.kernel.CommitActions;
import io.delta.kernel.CommitRange;
import io.delta.kernel.CommitRangeBuilder.CommitBoundary;
import io.delta.kernel.TableManager;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.data.Row;
import io.delta.kernel.defaults.internal.json.JsonUtils;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.internal.DeltaLogActionUtils.DeltaAction;
import io.delta.kernel.utils.CloseableIterator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.apache.beam.sdk.annotations.Internal;

/**
 * What one version's commit changed. Files whose commit says that they change no rows, as those of
 * a compaction do, are left out.
 *
 * @param version the table version
 * @param time when it was committed, as its writer says
 * @param operation the operation as its writer names it, empty if it does not
 * @param added the files with new rows, by path
 * @param removed the files whose rows left, by path
 * @param changeData the files of the commit's change data feed, by path
 */
@Internal
public record KernelChanges(
    long version,
    Instant time,
    String operation,
    List<File> added,
    List<File> removed,
    List<File> changeData) {

  /**
   * A file of a commit.
   *
   * @param path its path, as the log has it
   * @param handle text by which a {@link KernelScan} reads it, on any machine
   * @param rows how many rows it has, 0 if its statistics do not say so
   */
  public record File(String path, String handle, long rows) {}

  private static final Set<DeltaAction> ACTIONS =
      EnumSet.of(DeltaAction.ADD, DeltaAction.REMOVE, DeltaAction.CDC, DeltaAction.COMMITINFO);
  private static final JsonMapper JSON = new JsonMapper();

  /**
   * Hands over one version after the other, which the log must have, as long as they are wanted.
   */
  static void forEach(
      Engine engine, String table, long first, long last, Predicate<KernelChanges> goesOn) {
    CommitRange range =
        TableManager.loadCommitRange(table, CommitBoundary.atVersion(first))
            .withEndBoundary(CommitBoundary.atVersion(last))
            .build(engine);
    try (CloseableIterator<CommitActions> commits = range.getCommitActions(engine, ACTIONS)) {
      String root = engine.getFileSystemClient().resolvePath(table);
      boolean wanted = true;
      while (wanted && commits.hasNext()) {
        wanted = goesOn.test(read(root, commits.next()));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static KernelChanges read(String root, CommitActions commit) throws IOException {
    List<File> added = new ArrayList<>();
    List<File> removed = new ArrayList<>();
    List<File> changeData = new ArrayList<>();
    JsonNode info = MissingNode.getInstance();
    try (CloseableIterator<ColumnarBatch> batches = commit.getActions()) {
      while (batches.hasNext()) {
        try (CloseableIterator<Row> rows = batches.next().getRows()) {
          while (rows.hasNext()) {
            JsonNode action = JSON.readTree(JsonUtils.rowToJson(rows.next()));
            if (action.path("add").path("dataChange").asBoolean()) {
              added.add(file(root, action.path("add")));
            } else if (action.path("remove").path("dataChange").asBoolean()) {
              removed.add(file(root, action.path("remove")));
            } else if (action.has("cdc")) {
              changeData.add(file(root, action.path("cdc")));
            } else if (action.has("commitInfo")) {
              info = action.path("commitInfo");
            }
          }
        }
      }
    }
    for (List<File> files : List.of(added, removed, changeData)) {
      files.sort(Comparator.comparing(File::path));
    }
    // A copy of a table keeps what its commits say of their time, and not when they were written.
    long written = info.path("timestamp").asLong(commit.getTimestamp());
    return new KernelChanges(
        commit.getVersion(),
        Instant.ofEpochMilli(info.path("inCommitTimestamp").asLong(written)),
        info.path("operation").asText(""),
        added,
        removed,
        changeData);
  }

  /** Whatever a commit does with a file, it is read like one that is added. */
  private static File file(String root, JsonNode action) throws IOException {
    ObjectNode add = action.deepCopy();
    String stats = action.path("stats").asText("");
    add.put("dataChange", true);
    if (!add.has("modificationTime")) {
      add.put("modificationTime", 0L);
    }
    if (!add.has("partitionValues")) {
      add.putObject("partitionValues");
    }
    String handle = JSON.createObjectNode().put("tableRoot", root).set("add", add).toString();
    long rows = stats.isEmpty() ? 0 : JSON.readTree(stats).path("numRecords").asLong();
    return new File(action.path("path").asText(), handle, rows);
  }
}
