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

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.deletionvectors.DeletionVectorStoredBitmap;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The deletion of rows of the files of one snapshot, by deletion vectors. */
final class RowDeletion {

  /* Bounds stay digit by digit as they are. */
  private static final JsonMapper STATISTICS =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
          .build();

  private final Engine engine;
  private final KernelScan counting;
  private final String table;
  private final DeletionVectorFile vectors = new DeletionVectorFile();
  private final List<KernelCommit.Action> actions = new ArrayList<>();

  /**
   * Begins a deletion.
   *
   * @param counting a scan of no columns
   */
  RowDeletion(Engine engine, KernelScan counting, String table) {
    this.engine = engine;
    this.counting = counting;
    this.table = table;
  }

  void delete(KernelFile file, long... positions) throws IOException {
    ObjectNode statistics = statistics(file);
    long rows = statistics.get("numRecords").longValue();
    DeletedRows deleted = new DeletedRows();
    for (long position : positions) {
      if (position < 0 || position >= rows) {
        throw new IllegalArgumentException(
            "Position of a row must be from 0 to %d in file \"%s\" of table \"%s\", but was: %d."
                .formatted(rows - 1, file.path(), table, position));
      }
      deleted.add(position);
    }
    Optional<DeletionVectorDescriptor> before = file.deletionVector();
    if (before.isPresent()) {
      deleted.add(positions(file, before.get()));
    }
    if (deleted.count() == file.deletedRows()) {
      return;
    }
    actions.add(new KernelCommit.Action(file, false, true));
    if (deleted.count() < rows) {
      // The rows that its bounds are of may be among the deleted ones.
      String stats = statistics.put("tightBounds", false).toString();
      actions.add(
          new KernelCommit.Action(
              file.withDeletionVector(vectors.add(deleted), stats), true, true));
    }
  }

  /** Returns the file of the new deletion vectors, to be published before the actions. */
  DeletionVectorFile vectors() {
    return vectors;
  }

  List<KernelCommit.Action> actions() {
    return actions;
  }

  /** Returns the statistics of a file; with a vector they must tell the number of its rows. */
  private ObjectNode statistics(KernelFile file) throws IOException {
    JsonNode known = STATISTICS.readTree(file.stats() == null ? "{}" : file.stats());
    ObjectNode statistics = known.isObject() ? (ObjectNode) known : STATISTICS.createObjectNode();
    if (!statistics.hasNonNull("numRecords")) {
      long[] rows = {file.deletedRows()};
      counting.read(file, row -> rows[0]++);
      statistics.put("numRecords", rows[0]);
    }
    return statistics;
  }

  private long[] positions(KernelFile file, DeletionVectorDescriptor vector) throws IOException {
    try {
      return new DeletionVectorStoredBitmap(vector, Optional.of(table))
          .load(engine.getFileSystemClient())
          .toArray();
    } catch (IOException | RuntimeException e) {
      throw new IOException(
          "Deletion vector must be readable of file \"%s\" in table \"%s\"."
              .formatted(file.path(), table),
          e);
    }
  }
}
