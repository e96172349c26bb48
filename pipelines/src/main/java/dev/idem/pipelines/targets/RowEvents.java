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

import dev.idem.io.kafka.publish.EventMapping;
import dev.idem.io.kafka.publish.KafkaEvent;
import dev.idem.pipelines.decode.RowJson;
import dev.idem.pipelines.stage.RowWithOrigin;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * The sequence of an event is where the source has its row: the offset, then whether it is a delete,
 * then its number among the rows of the offset. Events of a key in one partition of the source are so
 * published in the source's order, and an offset that takes a row out and puts one in, as a version
 * of a table may, ends with the one that is in. What else tells rows apart (the partition, and what
 * they say, if a function makes several of one record) is in a hash behind that.
 *
 * A row that was not read from a record has the batch for its offset; equal ones of other batches
 * are other events.
 */
/** How rows that come with their origin become events of a topic. */
final class RowEvents implements EventMapping<Row> {

  private static final long serialVersionUID = 1L;

  private final long batch;
  private final List<String> keyColumns;
  private final List<String> valueColumns;
  private final RowRules.@Nullable Deletes deletes;
  private final Schema keySchema;
  private final Schema valueSchema;

  RowEvents(RowRules rules, Schema rows, long batch) {
    this.batch = batch;
    this.keyColumns = List.copyOf(rules.keyColumns());
    this.valueColumns = rules.valueColumns(rows);
    this.deletes = rules.deletes().orElse(null);
    this.keySchema = part(rows, keyColumns);
    this.valueSchema = part(rows, valueColumns);
  }

  private static Schema part(Schema rows, List<String> columns) {
    return columns.stream().map(rows::getField).collect(Schema.toSchema());
  }

  private static Row part(Row row, Schema schema, List<String> columns) {
    List<Object> values = new ArrayList<>(columns.size());
    columns.forEach(column -> values.add(row.getValue(column)));
    return Row.withSchema(schema).attachValues(values);
  }

  @Override
  public byte @Nullable [] key(Row carrier) {
    Row row = carrier.getRow(RowWithOrigin.ROW);
    Row key = part(row, keySchema, keyColumns);
    if (key.getValues().contains(null)) {
      return null;
    }
    if (keyColumns.size() > 1) {
      return RowJson.bytes(key);
    }
    Object value = key.getValue(0);
    return value instanceof byte[] bytes ? bytes : RowJson.text(value).getBytes(UTF_8);
  }

  @Override
  public KafkaEvent event(Row carrier) {
    Row row = carrier.getRow(RowWithOrigin.ROW);
    byte[] value = RowJson.bytes(part(row, valueSchema, valueColumns));
    boolean delete = isDelete(carrier);
    return KafkaEvent.of(
        key(carrier), delete ? null : value, sequence(RowWithOrigin.place(carrier), delete, value));
  }

  private byte[] sequence(RowWithOrigin.@Nullable Place place, boolean delete, byte[] value) {
    Fingerprint rest =
        place == null
            ? Fingerprint.of(value)
            : Fingerprint.of(bytes(place.topic() + " " + place.partition(), value));
    return ByteBuffer.allocate(4 * Long.BYTES + 1)
        .put(KafkaEvent.sequence(place == null ? batch : place.offset()))
        .put((byte) (delete ? 0 : 1))
        .put(KafkaEvent.sequence(place == null ? -1 : place.within()))
        .putLong(rest.high())
        .putLong(rest.low())
        .array();
  }

  private boolean isDelete(Row carrier) {
    return deletes != null && deletes.isDelete(carrier.getRow(RowWithOrigin.ROW));
  }

  /** A key at an offset of a partition. */
  private record Spot(ByteBuffer key, String topic, int partition, long offset) {}

  private Spot spot(Row carrier, RowWithOrigin.Place place) {
    return new Spot(
        ByteBuffer.wrap(key(carrier)), place.topic(), place.partition(), place.offset());
  }

  @Override
  public List<Row> published(List<Row> shard) {
    if (deletes == null) {
      return shard;
    }
    Set<Spot> there = new HashSet<>();
    for (Row carrier : shard) {
      RowWithOrigin.Place place = RowWithOrigin.place(carrier);
      if (place != null && !isDelete(carrier)) {
        there.add(spot(carrier, place));
      }
    }
    return shard.stream()
        .filter(
            carrier -> {
              RowWithOrigin.Place place = RowWithOrigin.place(carrier);
              return place == null || !isDelete(carrier) || !there.contains(spot(carrier, place));
            })
        .toList();
  }

  private static byte[] bytes(String source, byte[] value) {
    byte[] text = source.getBytes(UTF_8);
    return ByteBuffer.allocate(text.length + 1 + value.length)
        .put(text)
        .put((byte) 0)
        .put(value)
        .array();
  }
}
