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

import java.util.List;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What a {@link DebeziumDecoder} made of a record: changes, nothing, or why it is no event. */
public sealed interface DecodedEvent {

  /**
   * The changes that an event tells of: one, or two if an update moved a row to another key.
   *
   * @param rows rows of the decoder's schema
   * @param position where in the source's log the event is from, null for what is read from the
   *     table itself (a snapshot), and where the source does not say
   */
  record Changes(List<Row> rows, @Nullable SourcePosition position) implements DecodedEvent {
    /** Keeps a copy of the list. */
    public Changes {
      rows = List.copyOf(rows);
    }
  }

  /**
   * A record without a value, which follows a delete so that Kafka can forget the key. It says
   * nothing that the delete did not say.
   */
  record Tombstone() implements DecodedEvent {}

  /**
   * The reason why a record is no event that can be applied; never holds any of the payload.
   *
   * @param reason which kind of fault it is
   * @param column the column at fault, null if it is the record as a whole
   * @param rule the rule that the record breaks
   */
  record Refused(Reason reason, @Nullable String column, String rule) implements DecodedEvent {}

  /** Why a record is no event; {@link #label()} is what dead letters show. */
  enum Reason {
    /** The bytes are not what the format asks for, or a value does not fit its column. */
    PARSE_ERROR("parse error"),
    /** The event lacks something that it must have. */
    MISSING_FIELD("missing field"),
    /** A key column holds null. */
    NULL_KEY("null key");

    private final String label;

    Reason(String label) {
      this.label = label;
    }

    /** Returns the text that dead letters show. */
    public String label() {
      return label;
    }
  }
}
