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
package dev.idem.transforms.changes;

import com.google.auto.value.AutoValue;
import java.io.Serializable;
import java.util.List;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;

/** What {@link ApplyChanges} was told, as yet without a schema. */
@AutoValue
@SuppressWarnings("AutoValueImmutableFields") // Lists are copied; Guava is no dependency.
abstract class ChangeRules implements Serializable {
  private static final int DEFAULT_SHARDS = 16;
  private static final int DEFAULT_BUCKETS = 1024;

  abstract List<String> keys();

  abstract List<String> sequenceBy();

  abstract @Nullable SerializableFunction<Row, Boolean> deleteWhen();

  abstract @Nullable SerializableFunction<Row, Boolean> truncateWhen();

  abstract ColumnChoice columns();

  abstract ColumnChoice ignoredNulls();

  abstract @Nullable String maskColumn();

  abstract boolean history();

  abstract ColumnChoice tracked();

  abstract String startColumn();

  abstract String endColumn();

  abstract boolean strict();

  abstract int shards();

  abstract @Nullable Duration retention();

  abstract int buckets();

  abstract Builder toBuilder();

  /** Says all that decides what changes mean; a condition without a text of its own is "given". */
  String text() {
    return "keys="
        + keys()
        + " sequenceBy="
        + sequenceBy()
        + " deleteWhen="
        + text(deleteWhen())
        + " truncateWhen="
        + text(truncateWhen())
        + " columns="
        + columns()
        + " ignoredNulls="
        + ignoredNulls()
        + " mask="
        + maskColumn()
        + (history() ? " history=" + startColumn() + ".." + endColumn() + " " + tracked() : "");
  }

  private static String text(@Nullable SerializableFunction<Row, Boolean> condition) {
    boolean named =
        condition != null && !condition.toString().startsWith(condition.getClass().getName() + "@");
    return condition == null ? "none" : named ? condition.toString() : "given";
  }

  /** Returns the rules that hold if nothing but the key is said. */
  static ChangeRules of(List<String> keys) {
    return new AutoValue_ChangeRules.Builder()
        .setKeys(keys)
        .setSequenceBy(List.of())
        .setColumns(ColumnChoice.ALL)
        .setIgnoredNulls(ColumnChoice.NONE)
        .setHistory(false)
        .setTracked(ColumnChoice.ALL)
        .setStartColumn("__START_AT")
        .setEndColumn("__END_AT")
        .setStrict(false)
        .setShards(DEFAULT_SHARDS)
        .setBuckets(DEFAULT_BUCKETS)
        .build();
  }

  @AutoValue.Builder
  abstract static class Builder {
    abstract Builder setKeys(List<String> keys);

    abstract Builder setSequenceBy(List<String> columns);

    abstract Builder setDeleteWhen(SerializableFunction<Row, Boolean> condition);

    abstract Builder setTruncateWhen(SerializableFunction<Row, Boolean> condition);

    abstract Builder setColumns(ColumnChoice columns);

    abstract Builder setIgnoredNulls(ColumnChoice columns);

    abstract Builder setMaskColumn(String column);

    abstract Builder setHistory(boolean history);

    abstract Builder setTracked(ColumnChoice columns);

    abstract Builder setStartColumn(String name);

    abstract Builder setEndColumn(String name);

    abstract Builder setStrict(boolean strict);

    abstract Builder setShards(int shards);

    abstract Builder setRetention(Duration retention);

    abstract Builder setBuckets(int buckets);

    abstract ChangeRules build();
  }
}
