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
package dev.idem.pipelines.changes;

import dev.idem.transforms.changes.ApplyChanges;
import java.util.ArrayList;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Option;

/** What changes mean; shared by commands that merge them. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class ChangesOptions {

  @Option(
      names = "--keys",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns that identify a row.")
  private List<String> keys = new ArrayList<>();

  @Option(
      names = "--sequenceBy",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns that order the changes of a row; the first that differs decides.")
  private List<String> sequenceBy = new ArrayList<>();

  @Option(
      names = "--scd",
      paramLabel = "1|2",
      defaultValue = "1",
      description = "Keep the latest rows (1) or every version of them (2).")
  private int scd;

  @Option(
      names = "--deleteWhen",
      paramLabel = "COLUMN=VALUE",
      description = "Which changes are deletes; default none.")
  private @Nullable String deleteWhen;

  @Option(
      names = "--truncateWhen",
      paramLabel = "COLUMN=VALUE",
      description = "Which changes are truncates; default none.")
  private @Nullable String truncateWhen;

  @Option(
      names = "--columns",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns of the table; default all of the changes.")
  private List<String> columns = new ArrayList<>();

  @Option(
      names = "--except",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "Columns that the table does not have.")
  private List<String> except = new ArrayList<>();

  @Option(
      names = "--ignoreNullUpdates",
      description = "Take a null for a column that the change does not carry.")
  private boolean ignoreNullUpdates;

  @Option(
      names = "--trackHistory",
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns whose changes make a new version (--scd=2); default all.")
  private List<String> trackHistory = new ArrayList<>();

  /** Returns the key columns; none if they are not given. */
  public List<String> keys() {
    return keys;
  }

  /** Returns the columns that order changes; none if they are not given. */
  public List<String> sequenceBy() {
    return sequenceBy;
  }

  /** Returns whether every version of a row is kept. */
  public boolean keepsHistory() {
    return scd == 2;
  }

  /** Returns what the changes mean, as the options describe them. */
  public ApplyChanges changes() {
    return history(described());
  }

  /**
   * Returns what changes mean that say themselves what they are.
   *
   * @param changes keys, sequence, deletes and truncates
   * @param own columns of the changes that no table has
   */
  public ApplyChanges changes(ApplyChanges changes, List<String> own) {
    refuseOf("--deleteWhen", deleteWhen);
    refuseOf("--truncateWhen", truncateWhen);
    if (ignoreNullUpdates) {
      refuseOf("--ignoreNullUpdates", "true");
    }
    List<String> without = new ArrayList<>(own);
    without.addAll(except);
    return history(chosen(changes.columnsExcept(without.toArray(String[]::new))));
  }

  private static void refuseOf(String option, @Nullable String value) {
    if (value != null) {
      throw new IllegalArgumentException(
          option + " must not be given, because the changes say themselves what they are.");
    }
  }

  private ApplyChanges described() {
    requireGiven("--keys", keys);
    requireGiven("--sequenceBy", sequenceBy);
    ApplyChanges changes =
        ApplyChanges.keys(keys.toArray(String[]::new))
            .sequenceBy(sequenceBy.toArray(String[]::new));
    if (deleteWhen != null) {
      changes = changes.applyAsDeleteWhen(ColumnIs.parse("--deleteWhen", deleteWhen));
    }
    if (truncateWhen != null) {
      changes = changes.applyAsTruncateWhen(ColumnIs.parse("--truncateWhen", truncateWhen));
    }
    if (!except.isEmpty()) {
      changes = changes.columnsExcept(except.toArray(String[]::new));
    }
    if (ignoreNullUpdates) {
      changes = changes.ignoreNullUpdates();
    }
    return chosen(changes);
  }

  private static void requireGiven(String option, List<String> columns) {
    if (columns.isEmpty()) {
      throw new IllegalArgumentException(option + " must name columns, but was not given.");
    }
  }

  private ApplyChanges chosen(ApplyChanges changes) {
    if (!columns.isEmpty() && !except.isEmpty()) {
      throw new IllegalArgumentException(
          "--columns and --except must not both be given. Name the columns, or those left out.");
    }
    return columns.isEmpty() ? changes : changes.columns(columns.toArray(String[]::new));
  }

  private ApplyChanges history(ApplyChanges changes) {
    return switch (scd) {
      case 1 -> {
        if (!trackHistory.isEmpty()) {
          throw new IllegalArgumentException(
              "--trackHistory must come with --scd=2, but was with --scd=1.");
        }
        yield changes;
      }
      case 2 -> {
        ApplyChanges history = changes.storedAsScdType2();
        yield trackHistory.isEmpty()
            ? history
            : history.trackHistoryOn(trackHistory.toArray(String[]::new));
      }
      default -> throw new IllegalArgumentException("--scd must be 1 or 2, but was: " + scd + ".");
    };
  }
}
