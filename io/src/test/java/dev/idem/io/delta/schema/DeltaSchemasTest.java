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

import static dev.idem.io.delta.table.Tables.schema;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.junit.jupiter.api.Test;

class DeltaSchemasTest {

  @Test
  void everyTypeHasItsBeamCounterpart() {
    Schema parsed =
        DeltaSchemas.parse(
            schema(
                "s string not",
                "l long",
                "i integer",
                "d double",
                "b boolean",
                "t timestamp",
                "day date",
                "dec decimal(10,2)",
                "bin binary"));

    assertThat(
        parsed,
        equalTo(
            Schema.builder()
                .addStringField("s")
                .addNullableField("l", Schema.FieldType.INT64)
                .addNullableField("i", Schema.FieldType.INT32)
                .addNullableField("d", Schema.FieldType.DOUBLE)
                .addNullableField("b", Schema.FieldType.BOOLEAN)
                .addNullableField("t", Schema.FieldType.logicalType(new MicrosInstant()))
                .addNullableField("day", Schema.FieldType.logicalType(SqlTypes.DATE))
                .addNullableField(
                    "dec", Schema.FieldType.logicalType(FixedPrecisionNumeric.of(10, 2)))
                .addNullableField("bin", Schema.FieldType.BYTES)
                .build()));
  }

  @Test
  void beamSchemasBecomeDeltaSchemas() {
    Schema beam =
        Schema.builder()
            .addStringField("s")
            .addNullableField("t", Schema.FieldType.DATETIME)
            .addNullableField("dec", Schema.FieldType.logicalType(FixedPrecisionNumeric.of(10, 2)))
            .build();

    assertThat(
        DeltaSchemas.toJson(beam), is(schema("s string not", "t timestamp", "dec decimal(10,2)")));
  }

  @Test
  void otherTypesAreRefusedByColumn() {
    var nested =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                DeltaSchemas.parse(
                    "{\"type\":\"struct\",\"fields\":[{\"name\":\"tags\",\"nullable\":true,"
                        + "\"type\":{\"type\":\"array\",\"elementType\":\"variant\"}}]}"));
    var variant =
        assertThrows(IllegalArgumentException.class, () -> DeltaSchemas.parse(schema("v variant")));
    var beam =
        assertThrows(
            IllegalArgumentException.class,
            () ->
                DeltaSchemas.toJson(
                    Schema.builder().addLogicalTypeField("f", SqlTypes.TIME).build()));

    assertThat(nested.getMessage(), containsString("Column \"tags.element\""));
    assertThat(variant.getMessage(), containsString("but was: variant"));
    assertThat(beam.getMessage(), containsString("Column \"f\""));
  }

  @Test
  void decimalNeedsPrecisionAndScaleInRange() {
    var plain =
        assertThrows(
            IllegalArgumentException.class,
            () -> DeltaSchemas.toJson(Schema.builder().addDecimalField("d").build()));
    var wide =
        assertThrows(
            IllegalArgumentException.class, () -> DeltaSchemas.parse(schema("d decimal(39,2)")));

    assertThat(plain.getMessage(), containsString("Column \"d\" must have a precision"));
    assertThat(wide.getMessage(), containsString("decimal(39,2)"));
  }

  @Test
  void namesThatDifferInCaseOnlyAreRefused() {
    var refused =
        assertThrows(
            IllegalArgumentException.class, () -> DeltaSchemas.parse(schema("a long", "A long")));

    assertThat(refused.getMessage(), containsString("\"A\" again"));
  }

  @Test
  void whatIsNoSchemaIsRefused() {
    assertThrows(IllegalArgumentException.class, () -> DeltaSchemas.parse("{"));
    assertThrows(IllegalArgumentException.class, () -> DeltaSchemas.parse("\"long\""));
  }
}
