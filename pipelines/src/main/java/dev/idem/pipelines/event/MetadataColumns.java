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
package dev.idem.pipelines.event;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/**
 * Columns that say where a row came from, appended to the decoded ones; their names begin with an
 * underscore. They are no part of a row's payload: two copies of an event differ in them.
 */
public enum MetadataColumns {
  TOPIC,
  PARTITION,
  OFFSET,
  TIMESTAMP,
  KEY,
  HEADERS,
  BATCH_ID;

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private FieldType type() {
    return switch (this) {
      case TOPIC, HEADERS -> FieldType.STRING;
      case PARTITION -> FieldType.INT32;
      case OFFSET, BATCH_ID -> FieldType.INT64;
      case TIMESTAMP -> FieldType.logicalType(new MicrosInstant());
      case KEY -> FieldType.BYTES.withNullable(true);
    };
  }

  /** Returns the name of the column in the table. */
  public String column() {
    return "_" + option();
  }

  private String option() {
    return name().toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the column that a user names.
   *
   * @throws IllegalArgumentException if there is none of the name
   */
  public static MetadataColumns parse(String option) {
    return Arrays.stream(values())
        .filter(column -> column.option().equals(option))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Metadata column must be one of topic, partition, offset, timestamp, key,"
                        + " headers and batch_id, but was: \""
                        + option
                        + "\"."));
  }

  /** Returns {@code schema} with the metadata columns behind its own. */
  public static Schema append(Schema schema, List<MetadataColumns> columns) {
    Schema.Builder builder = Schema.builder().addFields(schema.getFields());
    for (MetadataColumns column : columns) {
      if (schema.hasField(column.column())) {
        throw new IllegalArgumentException(
            "Metadata column must not be a column of the rows, but was: \""
                + column.column()
                + "\".");
      }
      builder.addField(column.column(), column.type());
    }
    return builder.build();
  }

  /** Returns which of a schema's columns are metadata columns. */
  public static String[] of(Schema schema) {
    return Arrays.stream(values())
        .map(MetadataColumns::column)
        .filter(schema::hasField)
        .toArray(String[]::new);
  }

  /** Returns a row with its metadata columns behind its own; {@code schema} has them. */
  public static Row append(
      Row row,
      Schema schema,
      List<MetadataColumns> columns,
      Event.Origin origin,
      Headers headers,
      long batch) {
    List<Object> values = new ArrayList<>(schema.getFieldCount());
    for (int i = 0; i < row.getFieldCount(); i++) {
      values.add(row.getValue(i));
    }
    for (MetadataColumns column : columns) {
      values.add(column.value(origin, headers, batch));
    }
    return Row.withSchema(schema).attachValues(Collections.unmodifiableList(values));
  }

  private Object value(Event.Origin origin, Headers headers, long batch) {
    return switch (this) {
      case TOPIC -> origin.topic();
      case PARTITION -> origin.partition();
      case OFFSET -> origin.offset();
      case TIMESTAMP -> origin.time();
      case KEY -> origin.key();
      case HEADERS -> json(headers);
      case BATCH_ID -> batch;
    };
  }

  /** Headers may repeat a name, so they are a list; their values are any bytes, so base64. */
  private static String json(Headers headers) {
    ArrayNode list = MAPPER.createArrayNode();
    for (Header header : headers) {
      var node = list.addObject().put("name", header.key());
      if (header.value() == null) {
        node.putNull("value");
      } else {
        node.put("value", Base64.getEncoder().encodeToString(header.value()));
      }
    }
    return list.toString();
  }
}
