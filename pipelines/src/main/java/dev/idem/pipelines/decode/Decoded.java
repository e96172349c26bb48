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
package dev.idem.pipelines.decode;

import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What a {@link RowDecoder} made of a record's value: a row, or the reason why it is none. */
public sealed interface Decoded {

  /**
   * A row of the decoder's schema.
   *
   * @param row the row
   */
  record AsRow(Row row) implements Decoded {}

  /**
   * The reason why the bytes are no row; never holds any of the payload.
   *
   * @param reason which kind of fault it is
   * @param column the column at fault, null if it is the record as a whole
   * @param rule the rule that the record breaks
   */
  record Refused(Reason reason, @Nullable String column, String rule) implements Decoded {}

  /** Why a record did not become a row; {@link #label()} is what the dead-letter table shows. */
  enum Reason {
    /** The bytes are not what the format asks for. */
    PARSE_ERROR("parse error"),
    /** A column that must hold a value holds none. */
    MISSING_FIELD("missing field"),
    /** A key column holds null. */
    NULL_KEY("null key"),
    /** The record has no value. */
    NULL_VALUE("null value"),
    /** The row is older than the watermark and its key is not remembered. */
    LATE("late"),
    /** The row's key is remembered with other content. */
    CONFLICT("conflict"),
    /** The target does not take the row. */
    REJECTED("rejected by target");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** Returns the text that the dead-letter table shows. */
    public String label() {
      return label;
    }
  }
}
