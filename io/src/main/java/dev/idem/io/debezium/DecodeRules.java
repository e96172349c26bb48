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
package dev.idem.io.debezium;

import com.google.auto.value.AutoValue;
import dev.idem.io.debezium.DebeziumDecoder.UnknownColumns;
import java.io.Serializable;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What is set on a {@link DebeziumDecoder}. */
@AutoValue
@SuppressWarnings("AutoValueImmutableFields") // Lists are copied; Guava is no dependency.
abstract class DecodeRules implements Serializable {

  abstract DebeziumTable table();

  abstract EventFormat format();

  /** The columns of the table that order changes, none for positions of the source's log. */
  abstract List<String> sequenceBy();

  abstract UnknownColumns unknownColumns();

  abstract UnavailableValue unavailable();

  /** Whether a row may begin with values that the source did not send. */
  abstract boolean incompleteRows();

  abstract boolean truncates();

  /** The unit in which numbers without a schema count time since 1970, null if unknown. */
  abstract @Nullable ChronoUnit unit();

  /** Whether decimals without a schema are text, not base64. */
  abstract boolean decimalsAsText();

  /** Whether timestamps finer than microseconds are cut. */
  abstract boolean truncateNanoseconds();

  abstract Builder toBuilder();

  static DecodeRules of(DebeziumTable table, EventFormat format, List<String> sequenceBy) {
    return new AutoValue_DecodeRules.Builder()
        .setTable(table)
        .setFormat(format)
        .setSequenceBy(sequenceBy)
        .setUnknownColumns(UnknownColumns.DEAD_LETTER)
        .setUnavailable(new UnavailableValue(DebeziumDecoder.DEFAULT_UNAVAILABLE_VALUE))
        .setIncompleteRows(false)
        // A truncate has no columns, so none that could order it.
        .setTruncates(sequenceBy.isEmpty())
        .setDecimalsAsText(false)
        .setTruncateNanoseconds(false)
        .build();
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setTable(DebeziumTable table);

    abstract Builder setFormat(EventFormat format);

    abstract Builder setSequenceBy(List<String> columns);

    abstract Builder setUnknownColumns(UnknownColumns treatment);

    abstract Builder setUnavailable(UnavailableValue value);

    abstract Builder setIncompleteRows(boolean accepted);

    abstract Builder setTruncates(boolean applied);

    abstract Builder setUnit(ChronoUnit unit);

    abstract Builder setDecimalsAsText(boolean text);

    abstract Builder setTruncateNanoseconds(boolean truncate);

    abstract DecodeRules build();
  }
}
