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

import java.util.List;
import java.util.stream.Collectors;
import org.apache.beam.sdk.schemas.Schema;

/** Words all errors of this package. */
final class FingerprintErrors {
  private FingerprintErrors() {}

  static IllegalArgumentException missingColumn(String column, Schema schema) {
    return new IllegalArgumentException(
        "Encoded column must be one of "
            + schema.getFieldNames()
            + ", but was: \""
            + column
            + "\". Name a top-level column of the schema.");
  }

  static IllegalArgumentException repeatedColumn(List<String> columns) {
    return new IllegalArgumentException(
        "Encoded columns must be named once each, but was: "
            + columns
            + ". Remove the repeated name.");
  }

  static UnexpectedSchemaException unexpectedSchema(Schema expected, Schema actual) {
    return new UnexpectedSchemaException(
        "Row must have the schema ("
            + describe(expected)
            + "), but was: ("
            + describe(actual)
            + "). Convert the rows, or give the transform their schema.",
        expected,
        actual);
  }

  private static String describe(Schema schema) {
    return schema.getFields().stream()
        .map(
            field ->
                field.getName()
                    + " "
                    + field.getType().getTypeName()
                    + (field.getType().getNullable() ? "" : " NOT NULL"))
        .collect(Collectors.joining(", "));
  }
}
