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
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.kafka.KafkaConfig;
import dev.idem.io.kafka.publish.KafkaEvent;
import dev.idem.pipelines.stage.RowWithOrigin;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.junit.jupiter.api.Test;

class RowEventsTest {

  private static final Schema SCHEMA =
      Schema.builder()
          .addNullableField("id", FieldType.INT64)
          .addNullableField("name", FieldType.STRING)
          .addNullableField("raw", FieldType.BYTES)
          .addNullableField("price", FieldType.DECIMAL)
          .addNullableField("at", FieldType.logicalType(new MicrosInstant()))
          .addNullableField("kind", FieldType.STRING)
          .build();

  private static final Row ROW = row(7L, "a/\"b\"", "insert");

  private static Row row(@Nullable Long id, @Nullable String name, String kind) {
    return Row.withSchema(SCHEMA)
        .addValues(
            id,
            name,
            new byte[] {1, (byte) 200},
            new BigDecimal("1.50"),
            Instant.parse("2026-01-02T03:04:05.000006Z"),
            kind)
        .build();
  }

  private static Row at(Row row, @Nullable Integer partition, long offset, long within) {
    return Row.withSchema(RowWithOrigin.schema(SCHEMA))
        .addValues(
            row,
            partition == null ? null : "topic",
            partition,
            partition == null ? null : offset,
            partition == null ? null : within,
            Instant.EPOCH,
            null,
            null)
        .build();
  }

  private static RowEvents events(String... keys) {
    return new RowEvents(
        KafkaTarget.topic("t", KafkaConfig.of("b:1"), "topic", keys)
            .deletingWhen("kind", "delete", "before")
            .ignoringFields("kind", "raw")
            .rowRules(),
        SCHEMA,
        5);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, UTF_8);
  }

  private static String key(String... columns) {
    return text(events(columns).key(at(ROW, 0, 0, 0)));
  }

  @Test
  void oneColumnIsTheKeyAsTextAndSeveralAreAnObject() {
    assertThat(key("id"), is("7"));
    assertThat(key("name"), is("a/\"b\""));
    assertThat(key("at"), is("2026-01-02T03:04:05.000006Z"));
    assertThat(key("price"), is("1.50"));
    assertThat(events("raw").key(at(ROW, 0, 0, 0)), is(new byte[] {1, (byte) 200}));
    assertThat(key("name", "id"), is("{\"name\":\"a/\\\"b\\\"\",\"id\":7}"));
  }

  @Test
  void rowThatLacksAKeyColumnHasNoKey() {
    Row row = at(row(7L, null, "insert"), 0, 0, 0);

    assertThat(events("name").key(row), is(nullValue()));
    assertThat(events("id", "name").key(row), is(nullValue()));
  }

  @Test
  void valueIsTheRowAsJsonWithoutFieldsThatAreLeftOut() {
    assertThat(
        text(events("id").event(at(ROW, 0, 0, 0)).value()),
        is(
            "{\"id\":7,\"name\":\"a/\\\"b\\\"\",\"price\":1.50,"
                + "\"at\":\"2026-01-02T03:04:05.000006Z\"}"));
  }

  @Test
  void deleteHasNoValue() {
    assertThat(events("id").event(at(row(7L, "a", "delete"), 0, 0, 0)).value(), is(nullValue()));
  }

  @Test
  void sequenceIsThatOfTheSource() {
    List<KafkaEvent> inOrder =
        List.of(
                at(row(7L, "z", "insert"), 0, 8, 3),
                at(row(7L, "y", "delete"), 0, 9, 6),
                at(row(7L, "x", "insert"), 0, 9, 5),
                at(row(7L, "w", "insert"), 0, 9, 7),
                at(row(7L, "v", "insert"), 0, 10, 0))
            .stream()
            .map(events("id")::event)
            .toList();

    for (int i = 1; i < inOrder.size(); i++) {
      assertThat(
          Arrays.compareUnsigned(inOrder.get(i - 1).sequence(), inOrder.get(i).sequence()),
          is(lessThan(0)));
    }
  }

  @Test
  void rowsAreOneEventOnlyIfTheyAreOneRowOfOneRecord() {
    byte[] event = events("id").event(at(ROW, 0, 9, 5)).sequence();

    assertThat(events("id").event(at(ROW, 0, 9, 5)).sequence(), is(event));
    assertThat(events("id").event(at(ROW, 1, 9, 5)).sequence(), is(not(event)));
    assertThat(events("id").event(at(ROW, 0, 9, 6)).sequence(), is(not(event)));
    assertThat(
        events("id").event(at(row(7L, "other", "insert"), 0, 9, 5)).sequence(), is(not(event)));
  }

  @Test
  void rowsOfNoRecordAreOtherEventsInOtherBatches() {
    RowEvents later =
        new RowEvents(
            KafkaTarget.topic("t", KafkaConfig.of("b:1"), "topic", "id").rowRules(), SCHEMA, 6);
    byte[] event = events("id").event(at(row(7L, "a", "insert"), null, 0, 0)).sequence();

    assertThat(
        Arrays.compareUnsigned(
            event, later.event(at(row(7L, "a", "insert"), null, 0, 0)).sequence()),
        is(lessThan(0)));
  }

  @Test
  void deleteIsLeftOutWhereItsKeyHasAnotherRowAtTheSamePlace() {
    List<Row> shard =
        List.of(
            at(row(1L, "a", "before"), 0, 9, 0),
            at(row(1L, "b", "after"), 0, 9, 1),
            at(row(2L, "a", "delete"), 0, 9, 2),
            at(row(3L, "a", "delete"), 0, 9, 3),
            at(row(3L, "b", "insert"), 0, 10, 0),
            at(row(4L, "a", "delete"), 0, 9, 4),
            at(row(4L, "b", "insert"), 1, 9, 0));

    assertThat(
        events("id").published(shard),
        is(IntStream.of(1, 2, 3, 4, 5, 6).mapToObj(shard::get).toList()));
  }

  @Test
  void fieldsThatTheRowsLackAreRefusedByName() {
    for (KafkaTarget target :
        List.of(
            KafkaTarget.topic("t", KafkaConfig.of("b:1"), "topic", "no"),
            KafkaTarget.topic("t", KafkaConfig.of("b:1"), "topic", "id").deletingWhen("no", "x"),
            KafkaTarget.topic("t", KafkaConfig.of("b:1"), "topic", "id").ignoringFields("no"))) {
      var refused =
          assertThrows(
              IllegalArgumentException.class, () -> target.rowRules().requireFit("topic", SCHEMA));

      assertThat(
          refused.getMessage().replaceFirst("^.* of topic", "Key of topic"),
          is(
              "Key of topic \"topic\" must be a field of the rows, but was: \"no\". Give one of"
                  + " [id, name, raw, price, at, kind]."));
    }
  }

  @Test
  void keyColumnsAreNamedOnceAtLeastAndAtMost() {
    assertThrows(
        IllegalArgumentException.class,
        () -> KafkaTarget.topic("t", KafkaConfig.of("b:1"), "topic"));
    assertThrows(
        IllegalArgumentException.class,
        () -> KafkaTarget.topic("t", KafkaConfig.of("b:1"), "topic", "id", "id"));
  }
}
