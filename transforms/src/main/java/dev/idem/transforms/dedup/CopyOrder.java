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
package dev.idem.transforms.dedup;

import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.Serializable;
import java.util.Arrays;
import java.util.Comparator;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * The order in which copies of one key are preferred: event time, position if there is one, and
 * last the encoding of the whole row, so that only equal rows are left in any order.
 */
final class CopyOrder<T> implements Comparator<Copy<T>>, Serializable {
  private static final Comparator<Position> POSITIONS =
      Comparator.nullsFirst(Comparator.naturalOrder());

  private final @Nullable SerializableFunction<T, Position> position;
  private final SerializableFunction<T, Row> row;
  private final RowEncoding encoding;

  CopyOrder(
      @Nullable SerializableFunction<T, Position> position,
      SerializableFunction<T, Row> row,
      RowEncoding encoding) {
    this.position = position;
    this.row = row;
    this.encoding = encoding;
  }

  @Override
  public int compare(Copy<T> left, Copy<T> right) {
    int byTime = Long.compare(left.timestamp(), right.timestamp());
    if (byTime != 0) {
      return byTime;
    }
    if (position != null) {
      int byPosition =
          POSITIONS.compare(position.apply(left.element()), position.apply(right.element()));
      if (byPosition != 0) {
        return byPosition;
      }
    }
    return Arrays.compareUnsigned(encode(left), encode(right));
  }

  private byte[] encode(Copy<T> copy) {
    return encoding.encode(row.apply(copy.element()));
  }
}
