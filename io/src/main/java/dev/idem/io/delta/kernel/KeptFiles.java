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
import dev.idem.io.file.Storage;
import dev.idem.io.file.StoredFile;
import io.delta.kernel.data.ColumnVector;
import io.delta.kernel.data.ColumnarBatch;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.engine.FileReadResult;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.actions.RemoveFile;
import io.delta.kernel.internal.util.Utils;
import io.delta.kernel.types.StructType;
import io.delta.kernel.utils.CloseableIterator;
import io.delta.kernel.utils.FileStatus;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * Each file of a version that can be read is in the latest one, or was removed since by an entry
 * that the log still has, since without it the version could not be read. Tombstones of other files
 * are in checkpoints and their sidecars. So a file that is not in the latest version, and whose
 * removal the log does not tell anywhere, is in no version and no tombstone of it is kept. What is
 * committed while this is found out is in entries of the log, which is why it is listed last, and
 * why files that entries add count too.
 */
/** The files that a table's log keeps: those of versions that can be read, and tombstones. */
final class KeptFiles {

  private static final JsonMapper JSON = new JsonMapper();
  private static final StructType CHECKPOINT =
      new StructType()
          .add(
              "remove",
              new StructType()
                  .add(RemoveFile.FULL_SCHEMA.get("path"))
                  .add(RemoveFile.FULL_SCHEMA.get("deletionVector")));

  private final Storage storage;
  private final Engine engine;
  private final String root;
  private final Set<String> files = new HashSet<>();

  private KeptFiles(Storage storage, Engine engine) {
    this.storage = storage;
    this.engine = engine;
    this.root = real(storage.path(""));
  }

  /**
   * Returns the files that are below the table, by their names in it.
   *
   * @param latest a snapshot
   * @param log files that {@link #log} found after it was loaded
   * @throws IOException or another failure, if the log is cleaned up meanwhile
   */
  static Set<String> in(Storage storage, Engine engine, KernelSnapshot latest, List<String> log)
      throws IOException {
    KeptFiles kept = new KeptFiles(storage, engine);
    for (String file : log) {
      if (file.endsWith(".json")) {
        kept.readEntry(file);
      } else {
        kept.readCheckpoint(file);
      }
    }
    latest.forEachFile(
        file -> {
          kept.addPath(file.path());
          file.deletionVector().ifPresent(kept::addVector);
        });
    return kept.files;
  }

  /** Returns the files of a log that name others. */
  static List<String> log(Storage storage, String directory) throws IOException {
    List<String> log = new ArrayList<>();
    for (StoredFile file : storage.list(directory, "")) {
      String name = directory + "/" + file.name();
      if (file.directory()) {
        log.addAll(log(storage, name));
      } else if (!file.name().startsWith(".")
          && (name.endsWith(".json") || name.endsWith(".parquet"))) {
        log.add(name);
      }
    }
    return log;
  }

  private void readEntry(String entry) throws IOException {
    try (BufferedReader lines =
        new BufferedReader(Channels.newReader(storage.open(entry), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        JsonNode action = JSON.readTree(line);
        readFile(action.path("add"));
        readFile(action.path("remove"));
      }
    }
  }

  private void readFile(JsonNode file) {
    if (file.has("path")) {
      addPath(file.get("path").asText());
    }
    JsonNode vector = file.path("deletionVector");
    if (vector.isObject()) {
      addVector(
          new DeletionVectorDescriptor(
              vector.path("storageType").asText(),
              vector.path("pathOrInlineDv").asText(),
              Optional.empty(),
              vector.path("sizeInBytes").asInt(),
              vector.path("cardinality").asLong()));
    }
  }

  private void readCheckpoint(String checkpoint) throws IOException {
    StoredFile file =
        storage.find(checkpoint).orElseThrow(() -> new NoSuchFileException(checkpoint));
    FileStatus status = FileStatus.of(storage.path(checkpoint), file.size(), file.modified());
    try (CloseableIterator<FileReadResult> batches =
        engine
            .getParquetHandler()
            .readParquetFiles(
                Utils.singletonCloseableIterator(status), CHECKPOINT, Optional.empty())) {
      while (batches.hasNext()) {
        ColumnarBatch batch = batches.next().getData();
        readRemoved(batch.getColumnVector(0), batch.getSize());
      }
    }
  }

  private void readRemoved(ColumnVector removed, int size) {
    ColumnVector paths = removed.getChild(0);
    ColumnVector vectors = removed.getChild(1);
    for (int row = 0; row < size; row++) {
      if (removed.isNullAt(row)) {
        continue;
      }
      addPath(paths.getString(row));
      if (!vectors.isNullAt(row)) {
        addVector(DeletionVectorDescriptor.fromColumnVector(vectors, row));
      }
    }
  }

  private void addPath(String name) {
    URI uri;
    try {
      uri = new URI(name);
    } catch (URISyntaxException e) {
      throw notAUri(name, e);
    }
    if (uri.isOpaque()) {
      throw notAUri(name, null);
    }
    if (uri.getScheme() == null && !uri.getPath().startsWith("/")) {
      files.add(uri.getPath());
    } else if (uri.getAuthority() == null) {
      addAbsolute(uri.getPath());
    } else {
      addAbsolute(uri.getScheme() + "://" + uri.getAuthority() + uri.getPath());
    }
  }

  private static IllegalStateException notAUri(String name, @Nullable Throwable cause) {
    return new IllegalStateException(
        "Path in a table's log must be a URI, but was: \""
            + name
            + "\". Which file it is cannot be told; no file was deleted.",
        cause);
  }

  private void addVector(DeletionVectorDescriptor vector) {
    if (vector.isOnDisk()) {
      addAbsolute(vector.getAbsolutePath(storage.path("")));
    }
  }

  private void addAbsolute(String path) {
    String file = real(storage.path(path));
    if (file.startsWith(root + "/")) {
      files.add(file.substring(root.length() + 1));
    }
  }

  /** Returns the one path by which a file can be known in several ways, through links. */
  private String real(String path) {
    Optional<Path> local = storage.local(path);
    try {
      return local.isPresent() ? local.get().toRealPath().toString() : path;
    } catch (IOException e) {
      // It is gone: then it is none of those that could be taken for an orphan.
      return path;
    }
  }
}
