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

import io.delta.kernel.commit.CommitFailedException;
import io.delta.kernel.commit.CommitMetadata;
import io.delta.kernel.commit.CommitResponse;
import io.delta.kernel.commit.Committer;
import io.delta.kernel.data.Row;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.internal.actions.CommitInfo;
import io.delta.kernel.internal.actions.SingleAction;
import io.delta.kernel.internal.commit.DefaultFileSystemManagedTableOnlyCommitter;
import io.delta.kernel.internal.data.GenericRow;
import io.delta.kernel.internal.files.ParsedPublishedDeltaData;
import io.delta.kernel.internal.util.FileNames;
import io.delta.kernel.internal.util.VectorUtils;
import io.delta.kernel.types.StringType;
import io.delta.kernel.types.StructField;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/*
 * Kernel writes neither metrics nor parameters, says of every commit that it read the table, and
 * cannot tell its own entry from another writer's after an error; this committer does all three.
 */
/** Writes the commit info of a batch and recognises the entry that it wrote. */
final class BatchCommitter implements Committer {

  private static final StructType COMMIT_INFO =
      CommitInfo.FULL_SCHEMA.add("userMetadata", StringType.STRING, true);
  private static final StructType ACTION = actionSchema();

  private KernelCommit commit;
  private Optional<String> operation = Optional.empty();

  /**
   * Sets the one commit that the snapshot with this committer is about to make.
   *
   * @param name what the table's history calls it; Kernel's name of the operation if empty
   */
  void prepare(KernelCommit next, Optional<String> name) {
    this.commit = next;
    this.operation = name;
  }

  private static StructType actionSchema() {
    StructType schema = new StructType();
    for (StructField field : SingleAction.FULL_SCHEMA.fields()) {
      schema =
          field.getName().equals("commitInfo")
              ? schema.add("commitInfo", COMMIT_INFO)
              : schema.add(field);
    }
    return schema;
  }

  @Override
  public CommitResponse commit(
      Engine engine, CloseableIterator<Row> actions, CommitMetadata metadata)
      throws CommitFailedException {
    try {
      return DefaultFileSystemManagedTableOnlyCommitter.INSTANCE.commit(
          engine, actions.map(this::withCommitInfo), metadata);
    } catch (CommitFailedException e) {
      if (!e.isConflict()) {
        throw e;
      }
      Optional<FileStatus> own = ownEntry(engine, metadata, e);
      if (own.isEmpty()) {
        throw e;
      }
      return new CommitResponse(ParsedPublishedDeltaData.forFileStatus(own.get()));
    }
  }

  private static Optional<FileStatus> ownEntry(
      Engine engine, CommitMetadata metadata, CommitFailedException conflict)
      throws CommitFailedException {
    String path = FileNames.deltaFile(metadata.getDeltaLogDirPath(), metadata.getVersion());
    try {
      FileStatus entry = engine.getFileSystemClient().getFileStatus(path);
      Optional<String> written =
          CommitInfo.tryReadCommitInfoFromDeltaFile(engine, entry).flatMap(CommitInfo::getTxnId);
      return written.isPresent() && written.equals(metadata.getCommitInfo().getTxnId())
          ? Optional.of(entry)
          : Optional.empty();
    } catch (IOException e) {
      conflict.addSuppressed(e);
      throw conflict;
    }
  }

  private Row withCommitInfo(Row action) {
    if (action.isNullAt(SingleAction.COMMIT_INFO_ORDINAL)) {
      return action;
    }
    Row info = action.getStruct(SingleAction.COMMIT_INFO_ORDINAL);
    Map<Integer, Object> values = new HashMap<>();
    put(values, "inCommitTimestamp", longAt(info, "inCommitTimestamp"));
    put(values, "timestamp", longAt(info, "timestamp"));
    put(values, "engineInfo", stringAt(info, "engineInfo"));
    put(values, "operation", operation.orElse(stringAt(info, "operation")));
    put(values, "txnId", stringAt(info, "txnId"));
    put(values, "operationParameters", VectorUtils.stringStringMapValue(commit.parameters()));
    put(values, "operationMetrics", VectorUtils.stringStringMapValue(commit.metrics()));
    put(values, "isBlindAppend", commit.blindAppend());
    put(values, "userMetadata", commit.userMetadata().isEmpty() ? null : commit.userMetadata());
    return new GenericRow(
        ACTION, Map.of(SingleAction.COMMIT_INFO_ORDINAL, new GenericRow(COMMIT_INFO, values)));
  }

  private static void put(Map<Integer, Object> values, String field, Object value) {
    values.put(COMMIT_INFO.indexOf(field), value);
  }

  private static Object longAt(Row info, String field) {
    int ordinal = info.getSchema().indexOf(field);
    return info.isNullAt(ordinal) ? null : (Object) info.getLong(ordinal);
  }

  private static String stringAt(Row info, String field) {
    int ordinal = info.getSchema().indexOf(field);
    return info.isNullAt(ordinal) ? null : info.getString(ordinal);
  }
}
