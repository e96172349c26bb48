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

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.annotations.Internal;

/**
 * What one commit puts into a Delta log.
 *
 * @param transaction the transaction id that Kernel checks for conflicts
 * @param ties further transaction ids, written but not checked
 * @param actions files added and removed
 * @param newSchema what becomes of the table's schema, nothing if it stays
 * @param planned whether the actions were planned on the very snapshot that is committed on, and
 *     mean nothing after another commit
 * @param parameters the commit info's operation parameters
 * @param metrics the commit info's operation metrics
 * @param userMetadata the commit info's user metadata, empty for none
 */
@Internal
public record KernelCommit(
    Optional<Transaction> transaction,
    List<Transaction> ties,
    List<Action> actions,
    Optional<NewSchema> newSchema,
    boolean planned,
    Map<String, String> parameters,
    Map<String, String> metrics,
    String userMetadata) {

  /** The property with the greatest number of a column in tables with column mapping. */
  public static final String MAX_FIELD_ID = "delta.columnMapping.maxColumnId";

  /**
   * A schema that a table gets.
   *
   * @param json the schema as Delta schema JSON
   * @param maxFieldId the greatest number of a column, 0 in tables without column mapping
   */
  public record NewSchema(String json, int maxFieldId) {}

  /** A transaction id with its version. */
  public record Transaction(String id, long version) {}

  /**
   * A file added or removed.
   *
   * @param add whether the file is added
   * @param dataChange false if rows only move between files
   */
  public record Action(KernelFile file, boolean add, boolean dataChange) {}

  boolean blindAppend() {
    return !planned && newSchema.isEmpty() && actions.stream().allMatch(Action::add);
  }
}
