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

import java.util.List;
import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.Schema.TypeName;

/** Checks that columns can identify an element. */
final class KeyColumns {
  private KeyColumns() {}

  static void check(Schema schema, List<String> columns) {
    for (String column : columns) {
      checkExists("Key column", schema, column);
      floatingPoint(column, schema.getField(column).getType())
          .ifPresent(
              path -> {
                throw DedupErrors.floatingPointKey(path);
              });
    }
  }

  static void checkExists(String thing, Schema schema, String column) {
    if (!schema.hasField(column)) {
      throw DedupErrors.missingColumn(thing, column, schema);
    }
  }

  /** Returns the path to a floating-point value inside {@code type}, if there is one. */
  private static Optional<String> floatingPoint(String path, FieldType type) {
    TypeName name = type.getTypeName();
    return switch (name) {
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
