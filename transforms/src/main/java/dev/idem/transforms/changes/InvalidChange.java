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

import java.io.Serializable;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/**
 * A change that cannot be applied, whole, and why.
 *
 * @param row the change as it came
 * @param reason what is wrong
 * @param column the column that is wrong
 */
public record InvalidChange(Row row, Reason reason, String column) implements Serializable {

  /** What is wrong with a change. */
  public enum Reason {
    /** A key column is null, so nobody knows which row is meant. */
    NULL_KEY("null key"),
    /** A sequence column is null, so nobody knows what the change comes before or after. */
    NULL_SEQUENCE("null sequence"),
    /** The change says that it carries a column that the rows do not have. */
    UNKNOWN_COLUMN("unknown column");

    private final String text;

    Reason(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /** Returns the coder of changes of a schema. */
  public static Coder<InvalidChange> coder(Schema schema) {
    return InvalidChangeCoder.of(schema);
  }
}
