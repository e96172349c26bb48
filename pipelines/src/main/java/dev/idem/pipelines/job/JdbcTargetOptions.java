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
package dev.idem.pipelines.job;

import dev.idem.io.jdbc.JdbcUpsertIO;
import dev.idem.io.jdbc.WriteJdbcRows;
import dev.idem.pipelines.targets.JdbcTarget;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The options of every command that writes rows to a table of a database. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class JdbcTargetOptions {

  /** What becomes of a row whose key is there. */
  private static final String UPSERT = "upsert";

  private static final String UPSERT_NEWER = "upsert-newer";
  private static final String APPEND_ONCE = "append-once";

  @Mixin private JdbcTableOptions table;

  @Option(
      names = "--mode",
      paramLabel = "upsert|upsert-newer|append-once",
      defaultValue = UPSERT,
      description =
          "Replace the row of a key, replace it unless it is as new, or add rows once a batch.")
  private String mode;

  @Option(
      names = "--keys",
      split = ",",
      paramLabel = "COLUMN,..",
      description =
          "The columns that identify a row; with append-once, events are deduplicated by them.")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--sequenceBy",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns that order the rows of a key (upsert-newer).")
  private List<String> sequenceBy = new ArrayList<>();

  @Option(
      names = "--deleteWhen",
      paramLabel = "COLUMN=VALUE",
      description = "Which rows are deletes; default none.")
  private @Nullable String deleteWhen;

  @Option(
      names = "--softDelete",
      paramLabel = "COLUMN",
      description = "Mark the rows of deletes in this column instead of deleting them.")
  private @Nullable String softDelete;

  @Option(
      names = "--tombstoneRetention",
      paramLabel = "7d",
      defaultValue = "7d",
      converter = JobOptions.DurationConverter.class,
      description = "For how long deletes keep late rows out (upsert-newer).")
  private Duration tombstoneRetention;

  @Option(
      names = "--ignoredFields",
      split = ",",
      paramLabel = "FIELD,..",
      description = "Fields of the events that the table has no column for.")
  private List<String> ignoredFields = new ArrayList<>();

  /** Returns the columns by which events are deduplicated; none if they are not. */
  public List<String> deduplicatedBy() {
    return mode.equals(APPEND_ONCE) ? List.copyOf(keys) : List.of();
  }

  /** Returns the columns that identify a row of the table; none if none do. */
  public List<String> keys() {
    return mode.equals(APPEND_ONCE) ? List.of() : List.copyOf(keys);
  }

  /** Returns the table, as rows are written to it. */
  public JdbcTarget target() {
    return target("table");
  }

  /** Returns the table as a target beside another one, by whose options events are deduplicated. */
  JdbcTarget furtherTarget(String name) {
    if (!deduplicatedBy().isEmpty()) {
      throw new IllegalArgumentException(
          "--keys must not be given with --mode=append-once, since events are deduplicated for all"
              + " targets by the job's own, but was: "
              + keys
              + ".");
    }
    return target(name);
  }

  private JdbcTarget target(String name) {
    return table.target(
        name, deleting(rows()).ignoringFields(ignoredFields.toArray(String[]::new)));
  }

  private WriteJdbcRows rows() {
    if (!mode.equals(UPSERT_NEWER) && !sequenceBy.isEmpty()) {
      throw new IllegalArgumentException(
          "--sequenceBy must come with --mode=upsert-newer, but was with --mode=" + mode + ".");
    }
    return switch (mode) {
      case UPSERT -> JdbcUpsertIO.upsert(keys.toArray(String[]::new));
      case UPSERT_NEWER -> JdbcUpsertIO.upsertNewer(keys, sequenceBy.toArray(String[]::new));
      case APPEND_ONCE -> JdbcUpsertIO.appendOncePerBatch("job"); // The job gives its own id.
      default ->
          throw new IllegalArgumentException(
              "--mode must be upsert, upsert-newer or append-once, but was: \"" + mode + "\".");
    };
  }

  private WriteJdbcRows deleting(WriteJdbcRows write) {
    if (deleteWhen == null) {
      if (softDelete != null) {
        throw new IllegalArgumentException(
            "--softDelete must come with --deleteWhen, which says what a delete is.");
      }
      return write;
    }
    ColumnValue delete = ColumnValue.parse("--deleteWhen", deleteWhen);
    String column = delete.column();
    String value = delete.value();
    return softDelete == null
        ? write.deletingWhen(column, value, joda(tombstoneRetention))
        : write.softDeletingWhen(column, value, softDelete);
  }

  private static org.joda.time.Duration joda(Duration duration) {
    return org.joda.time.Duration.millis(duration.toMillis());
  }
}
