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
package dev.idem.io.delta;

import java.io.Serializable;

/**
 * One column of a Delta table.
 *
 * @param precision of a decimal, otherwise 0
 * @param scale of a decimal, otherwise 0
 */
record DeltaColumn(String name, Type type, int precision, int scale, boolean nullable)
    implements Serializable {

  /** The types that tables may have here. */
  enum Type {
    STRING("string"),
    LONG("long"),
    INTEGER("integer"),
    DOUBLE("double"),
    BOOLEAN("boolean"),
    TIMESTAMP("timestamp"),
    DATE("date"),
    DECIMAL("decimal"),
    BINARY("binary");

    final String deltaName;

    Type(String deltaName) {
      this.deltaName = deltaName;
    }
  }

  /** Returns the type as Delta writes it. */
  String typeName() {
    return type == Type.DECIMAL ? "decimal(" + precision + "," + scale + ")" : type.deltaName;
  }

  boolean sameType(DeltaColumn other) {
    return type == other.type && precision == other.precision && scale == other.scale;
  }
}
