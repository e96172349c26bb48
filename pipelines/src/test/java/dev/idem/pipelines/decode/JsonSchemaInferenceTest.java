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
package dev.idem.pipelines.decode;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.junit.jupiter.api.Test;

class JsonSchemaInferenceTest {

  private static Schema infer(String... records) {
    JsonSchemaInference inference = new JsonSchemaInference();
    for (String record : records) {
      inference.add(record.replace('\'', '"').getBytes(UTF_8));
    }
    return inference.schema();
  }

  private static FieldType only(String... values) {
    String[] records = new String[values.length];
    for (int i = 0; i < values.length; i++) {
      records[i] = "{'c':" + values[i] + "}";
    }
    return infer(records).getField("c").getType();
  }

  private static FieldType nullable(FieldType type) {
    return type.withNullable(true);
  }

  @Test
  void typeHoldsEveryValueSeen() {
    assertThat(only("1", "null", "2"), is(nullable(FieldType.INT64)));
    assertThat(only("1", "2.5"), is(nullable(FieldType.DOUBLE)));
    assertThat(only("true"), is(nullable(FieldType.BOOLEAN)));
    assertThat(only("'a'"), is(nullable(FieldType.STRING)));
    assertThat(only("{'a':1}"), is(nullable(FieldType.STRING)));
    assertThat(only("[1]"), is(nullable(FieldType.STRING)));
    assertThat(only("null"), is(nullable(FieldType.STRING)));
    assertThat(only("1", "true"), is(nullable(FieldType.STRING)));
    assertThat(only("1", "'1'"), is(nullable(FieldType.STRING)));
    assertThat(only("9223372036854775808"), is(nullable(FieldType.STRING)));
  }

  @Test
  void columnsComeInTheOrderInWhichTheyWereSeen() {
    assertThat(
        infer("{'b':1}", "{'a':1,'b':2}", "{'c':1}"),
        is(
            Schema.builder()
                .addNullableField("b", FieldType.INT64)
                .addNullableField("a", FieldType.INT64)
                .addNullableField("c", FieldType.INT64)
                .build()));
  }

  @Test
  void bytesThatAreNoObjectCountForNothing() {
    JsonSchemaInference inference = new JsonSchemaInference();
    for (String record : new String[] {"", "no", "[1]", "1", "{} x", "{\"a\":"}) {
      inference.add(record.getBytes(UTF_8));
    }

    assertThat(inference.parsed(), is(0));
    assertThat(inference.schema().getFieldCount(), is(0));
  }
}
