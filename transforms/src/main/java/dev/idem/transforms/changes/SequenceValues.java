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

import java.util.Collections;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Sequences as the value of one column: as it is, or a struct if there are several columns. */
final class SequenceValues {
  private final Schema schema;
  private final boolean single;

  SequenceValues(Schema schema) {
    this.schema = schema;
    this.single = schema.getFieldCount() == 1;
  }

  FieldType type() {
    return single ? schema.getField(0).getType() : FieldType.row(schema);
  }

  /** Returns the value of a sequence; null for {@link #none()}. */
  @Nullable Object toValue(Row sequence) {
    if (sequence.getValue(0) == null) {
      return null;
    }
    return single ? sequence.getValue(0) : sequence;
  }

  Row toSequence(@Nullable Object value) {
    if (value == null) {
      return none();
    }
    return single
        ? Row.withSchema(schema).attachValues(Collections.singletonList(value))
        : Row.withSchema(schema).attachValues(((Row) value).getValues());
  }

  /** Returns the sequence that is before all others. */
  Row none() {
    return Row.withSchema(schema)
        .attachValues(Collections.nCopies(schema.getFieldCount(), (Object) null));
  }
}
