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
package dev.idem.pipelines.job;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.delta.DeltaSchemas;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.Schema.TypeName;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;

/** Beam schemas of Delta schemas that keep the precision and scale of decimals. */
final class Schemas {

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Pattern DECIMAL = Pattern.compile("decimal\\((\\d+),\\s*(\\d+)\\)");

  private Schemas() {}

  /** Returns the schema that a decoder needs, to refuse a decimal that its column cannot hold. */
  static Schema parse(String deltaSchema) {
    Schema schema = DeltaSchemas.parse(deltaSchema);
    Map<String, String> types = new HashMap<>();
    try {
      for (JsonNode field : MAPPER.readTree(deltaSchema).get("fields")) {
        types.put(field.get("name").textValue(), field.get("type").asText());
      }
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Schema must be Delta schema JSON, but is no JSON.", e);
    }
    Schema.Builder builder = Schema.builder();
    for (Schema.Field field : schema.getFields()) {
      Matcher decimal = DECIMAL.matcher(types.get(field.getName()));
      if (field.getType().getTypeName() == TypeName.DECIMAL && decimal.matches()) {
        FieldType type =
            FieldType.logicalType(
                FixedPrecisionNumeric.of(
                    Integer.parseInt(decimal.group(1)), Integer.parseInt(decimal.group(2))));
        builder.addField(
            Schema.Field.of(field.getName(), type.withNullable(field.getType().getNullable())));
      } else {
        builder.addField(field);
      }
    }
    return builder.build();
  }
}
