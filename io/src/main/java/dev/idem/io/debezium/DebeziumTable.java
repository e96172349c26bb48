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

import java.io.Serial;
import java.io.Serializable;
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;

/**
 * What must be known of a table before its change events are read.
 *
 * @param columns the columns, as rows are to have them
 * @param keys the columns that identify a row
 * @param connector which of Debezium's connectors sends the events, such as {@code postgresql}
 */
public record DebeziumTable(Schema columns, List<String> keys, String connector)
    implements Serializable {
  @Serial private static final long serialVersionUID = 1L;

  /** Keeps a copy of the keys. */
  public DebeziumTable {
    keys = List.copyOf(keys);
  }

  /** Returns the same table with other keys: those by which rows are to be told apart. */
  public DebeziumTable withKeys(List<String> other) {
    return new DebeziumTable(columns, other, connector);
  }

  /** Returns the same table with columns that are declared, not inferred. */
  public DebeziumTable withColumns(Schema other) {
    return new DebeziumTable(other, keys, connector);
  }
}
