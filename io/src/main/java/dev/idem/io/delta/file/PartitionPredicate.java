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
package dev.idem.io.delta.file;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Which partitions of a table are meant: conditions on partition columns, all of which must hold.
 * Values are those that Beam rows have. What a column can hold is checked against the table, when
 * the predicate is used.
 */
public final class PartitionPredicate implements Serializable {

  private static final long serialVersionUID = 1L;

  private final List<Condition> conditions;

  private PartitionPredicate(List<Condition> conditions) {
    this.conditions = List.copyOf(conditions);
  }

  /** What one column must hold. */
  sealed interface Condition extends Serializable {
    String column();
  }

  /** One of some values, of which null may be one. */
  record OneOf(String column, List<@Nullable Object> values) implements Condition {
    @Override
    public String toString() {
      return column
          + " in "
          + values.stream().map(String::valueOf).collect(Collectors.joining(", ", "(", ")"));
    }
  }

  /** A value between two others, those included. */
  record Between(String column, Object first, Object last) implements Condition {
    @Override
    public String toString() {
      return column + " >= " + first + " and " + column + " <= " + last;
    }
  }

  /** Returns the predicate that every partition fulfils, also that of an unpartitioned table. */
  public static PartitionPredicate everything() {
    return new PartitionPredicate(List.of());
  }

  /** Returns the partitions whose value is one of these; null is one. */
  public static PartitionPredicate in(String column, @Nullable Object... values) {
    return new PartitionPredicate(List.of(new OneOf(column, Arrays.asList(values.clone()))));
  }

  /**
   * Returns the partitions from one value to another, both included. Texts are in the order of
   * their UTF-8 bytes, as in Spark; null is in no range.
   */
  public static PartitionPredicate between(String column, Object first, Object last) {
    return new PartitionPredicate(List.of(new Between(column, first, last)));
  }

  /** Returns the partitions that fulfil both. */
  public PartitionPredicate and(PartitionPredicate other) {
    List<Condition> all = new ArrayList<>(conditions);
    all.addAll(other.conditions);
    return new PartitionPredicate(all);
  }

  List<Condition> conditions() {
    return conditions;
  }

  /** Returns the predicate as SQL has it, without quotes. */
  @Override
  public String toString() {
    return conditions.isEmpty()
        ? "true"
        : conditions.stream().map(Condition::toString).collect(Collectors.joining(" and "));
  }
}
