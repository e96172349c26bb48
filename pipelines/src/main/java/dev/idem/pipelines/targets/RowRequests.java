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
package dev.idem.pipelines.targets;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.idem.pipelines.decode.RowJson;
import dev.idem.pipelines.stage.RowWithOrigin;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.Serializable;
import java.net.URLEncoder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.StringJoiner;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.joda.time.ReadableInstant;

/*
 * Sequences are texts that are compared unit by unit: whole numbers have twenty digits and are
 * counted from the least one, instants are their second and nine digits of it. Both, and the order of
 * their parts, are part of idempotency keys and so do not change.
 */
/** How rows that come with their origin become requests. */
final class RowRequests implements Serializable {

  private static final long serialVersionUID = 1L;

  private final RequestRules rules;
  private final long batch;
  private final Schema keySchema;
  private final Schema bodySchema;
  private final Set<String> required;

  RowRequests(RequestRules rules, Schema rows, long batch) {
    this.rules = rules;
    this.batch = batch;
    this.keySchema = rules.keyColumns().stream().map(rows::getField).collect(Schema.toSchema());
    this.bodySchema =
        rows.getFields().stream()
            .filter(field -> !rules.ignored().contains(field.getName()))
            .collect(Schema.toSchema());
    this.required = new LinkedHashSet<>(rules.keyColumns());
    required.addAll(rules.sequenceColumns());
    required.addAll(rules.pathColumns());
  }

  private static Row row(Row carrier) {
    return carrier.getRow(RowWithOrigin.ROW);
  }

  private static Row part(Row row, Schema schema) {
    List<Object> values = new ArrayList<>();
    schema.getFieldNames().forEach(column -> values.add(row.getValue(column)));
    return Row.withSchema(schema).attachValues(values);
  }

  /** Returns the column that must not be null, but is. */
  Optional<String> lacking(Row carrier) {
    return required.stream().filter(column -> row(carrier).getValue(column) == null).findFirst();
  }

  String key(Row carrier) {
    Row key = part(row(carrier), keySchema);
    return key.getFieldCount() == 1
        ? RowJson.text(key.getValue(0))
        : new String(RowJson.bytes(key), UTF_8);
  }

  byte[] body(Row carrier) {
    return RowJson.bytes(part(row(carrier), bodySchema));
  }

  String path(Row carrier) {
    Row row = row(carrier);
    return RequestRules.COLUMN
        .matcher(rules.path())
        .replaceAll(
            column ->
                URLEncoder.encode(RowJson.text(row.getValue(column.group(1))), UTF_8)
                    .replace("+", "%20"));
  }

  String sequence(Row carrier) {
    StringJoiner text = new StringJoiner("\0");
    if (!rules.sequenceColumns().isEmpty()) {
      rules.sequenceColumns().forEach(column -> text.add(ordered(row(carrier).getValue(column))));
      return text.toString();
    }
    RowWithOrigin.Place place = RowWithOrigin.place(carrier);
    if (place == null) {
      return text.add(digits(batch)).add(Fingerprint.of(body(carrier)).toString()).toString();
    }
    return text.add(place.topic())
        .add(digits(place.partition()))
        .add(digits(place.offset()))
        .add(digits(place.within()))
        .toString();
  }

  private static String ordered(Object value) {
    if (value instanceof Number number) {
      return digits(number.longValue());
    }
    if (value instanceof Instant instant) {
      return digits(instant.getEpochSecond()) + "%09d".formatted(instant.getNano());
    }
    return value instanceof ReadableInstant time ? digits(time.getMillis()) : value.toString();
  }

  private static String digits(long number) {
    String unsigned = Long.toUnsignedString(number ^ Long.MIN_VALUE);
    return "0".repeat(20 - unsigned.length()) + unsigned;
  }
}
