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
package dev.idem.io.delta.schema;

import java.io.Serializable;
import java.util.List;
import java.util.stream.Collectors;

/** A type of the Delta protocol. */
public sealed interface DeltaType extends Serializable {

  /** Returns the type as messages show it, and as a schema writes it if nothing is in it. */
  String text();

  /** The types that nothing is in. */
  enum Primitive implements DeltaType {
    STRING("string"),
    BYTE("byte"),
    SHORT("short"),
    INTEGER("integer"),
    LONG("long"),
    FLOAT("float"),
    DOUBLE("double"),
    BOOLEAN("boolean"),
    BINARY("binary"),
    DATE("date"),
    TIMESTAMP("timestamp"),
    TIMESTAMP_NTZ("timestamp_ntz");

    private final String text;

    Primitive(String text) {
      this.text = text;
    }

    @Override
    public String text() {
      return text;
    }
  }

  /** A decimal; both numbers are 0 where they are not known. */
  record Decimal(int precision, int scale) implements DeltaType {
    @Override
    public String text() {
      return "decimal(" + precision + "," + scale + ")";
    }
  }

  /** An array. */
  record Array(DeltaType element, boolean containsNull) implements DeltaType {
    @Override
    public String text() {
      return "array<" + element.text() + ">";
    }
  }

  /** A map, whose keys are never null. */
  record Map(DeltaType key, DeltaType value, boolean valueContainsNull) implements DeltaType {
    @Override
    public String text() {
      return "map<" + key.text() + "," + value.text() + ">";
    }
  }

  /** Columns within a column. */
  record Struct(List<DeltaColumn> fields) implements DeltaType {
    /** Takes a copy of the columns. */
    public Struct {
      fields = List.copyOf(fields);
    }

    @Override
    public String text() {
      return fields.stream()
          .map(field -> field.name() + ":" + field.type().text())
          .collect(Collectors.joining(",", "struct<", ">"));
    }
  }
}
