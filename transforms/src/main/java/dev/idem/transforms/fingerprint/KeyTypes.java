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
package dev.idem.transforms.fingerprint;

import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;

/** Tells which types cannot identify anything. */
public final class KeyTypes {
  private KeyTypes() {}

  /**
   * Returns the path to a floating-point value in a column, at any depth. One number of those may
   * have several encodings, and the result of a calculation is seldom the number that was meant.
   */
  public static Optional<String> floatingPoint(Schema schema, String column) {
    return floatingPoint(column, schema.getField(column).getType());
  }

  private static Optional<String> floatingPoint(String path, FieldType type) {
    return switch (type.getTypeName()) {
      case FLOAT, DOUBLE -> Optional.of(path);
      case ARRAY, ITERABLE -> floatingPoint(path + "[]", type.getCollectionElementType());
      case MAP ->
          floatingPoint(path + "{key}", type.getMapKeyType())
              .or(() -> floatingPoint(path + "{value}", type.getMapValueType()));
      case ROW ->
          type.getRowSchema().getFields().stream()
              .flatMap(
                  field -> floatingPoint(path + "." + field.getName(), field.getType()).stream())
              .findFirst();
      case LOGICAL_TYPE -> floatingPoint(path, type.getLogicalType().getBaseType());
      default -> Optional.empty();
    };
  }
}
