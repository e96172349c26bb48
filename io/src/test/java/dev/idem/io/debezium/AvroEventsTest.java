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
package dev.idem.io.debezium;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.debezium.DecodedEvent.Reason;
import dev.idem.io.debezium.DecodedEvent.Refused;
import dev.idem.io.debezium.Samples.Sample;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.apache.beam.sdk.util.SerializableUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Events in Avro, against the same ones in JSON. */
class AvroEventsTest {
  private FakeRegistry server;
  private SchemaRegistry registry;

  @BeforeEach
  void start() throws IOException {
    server = new FakeRegistry();
    registry = SchemaRegistry.at(server.url()).withAttempts(1);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private List<Sample> avro(List<Sample> samples) throws IOException {
    AvroEvents writer = new AvroEvents(server);
    List<Sample> written = new ArrayList<>();
    for (Sample sample : samples) {
      written.add(writer.write(sample));
    }
    return written;
  }

  private DebeziumTable infer(List<Sample> samples) {
    DebeziumInference inference = DebeziumInference.avro(registry);
    samples.forEach(sample -> inference.add(sample.key(), sample.value()));
    return inference.table();
  }

  @Test
  void eventsInAvroAreThoseInJson() throws IOException {
    for (String file : List.of("postgres-orders-schema.tsv", "postgres-placeholders-schema.tsv")) {
      List<Sample> json = Samples.read(file);
      List<Sample> avro = avro(json);
      DebeziumTable table = infer(avro);
      DebeziumDecoder ofAvro =
          SerializableUtils.clone(DebeziumDecoder.avro(table, registry).acceptIncompleteRows());
      DebeziumDecoder ofJson = DebeziumDecoder.json(table).acceptIncompleteRows();

      assertThat(table, equalTo(Samples.infer(json)));
      for (int i = 0; i < json.size(); i++) {
        assertThat(
            file + " " + i,
            ofAvro.decode(avro.get(i).key(), avro.get(i).value()),
            equalTo(ofJson.decode(json.get(i).key(), json.get(i).value())));
      }
    }
  }

  @Test
  void aSchemaIsAskedForOnce() throws IOException {
    List<Sample> avro = avro(Samples.read("postgres-orders-schema.tsv"));
    DebeziumDecoder decoder = DebeziumDecoder.avro(infer(avro), registry).acceptIncompleteRows();
    int before = server.requests().size();

    for (int i = 0; i < 3; i++) {
      avro.forEach(sample -> decoder.decode(sample.key(), sample.value()));
    }

    assertThat(server.requests().subList(before, server.requests().size()), hasSize(1));
  }

  @Test
  void whatIsNotAvroOfItsSchemaIsRefused() throws IOException {
    List<Sample> avro = avro(Samples.read("postgres-orders-schema.tsv"));
    DebeziumDecoder decoder = DebeziumDecoder.avro(infer(avro), registry);
    byte[] value = avro.get(1).value();
    byte[] unknown = value.clone();
    unknown[4] = 99;
    byte[] magic = value.clone();
    magic[0] = 1;

    String notAvro = "A record must be a zero byte, the id of a schema, and Avro of that schema.";
    assertRefused(decoder, new byte[0], notAvro);
    assertRefused(decoder, new byte[] {0, 0, 0, 0}, notAvro);
    assertRefused(decoder, magic, notAvro);
    assertRefused(decoder, Arrays.copyOf(value, value.length - 1), notAvro);
    assertRefused(
        decoder, Arrays.copyOf(value, value.length + 1), "Nothing may follow the Avro record.");
    assertRefused(decoder, unknown, "The schema of a record must be in the registry.");
  }

  private static void assertRefused(DebeziumDecoder decoder, byte[] value, String rule) {
    assertThat(decoder.decode(null, value), equalTo(new Refused(Reason.PARSE_ERROR, null, rule)));
  }

  @Test
  void noBytesMakeItThrow() throws IOException {
    long seed = 20261130;
    Random random = new Random(seed);
    List<Sample> avro = avro(Samples.read("postgres-orders-schema.tsv"));
    avro.removeIf(sample -> sample.value() == null);
    DebeziumDecoder decoder = DebeziumDecoder.avro(infer(avro), registry).acceptIncompleteRows();
    int refused = 0;

    for (int i = 0; i < 20_000; i++) {
      byte[] value = avro.get(random.nextInt(avro.size())).value().clone();
      for (int times = random.nextInt(4); times >= 0; times--) {
        value[5 + random.nextInt(value.length - 5)] = (byte) random.nextInt(256);
      }
      DecodedEvent decoded = decoder.decode(null, value);
      refused += decoded instanceof Refused ? 1 : 0;
    }

    assertThat("seed " + seed + ", refused: " + refused, refused > 2_000, is(true));
  }

  @Test
  void aRegistryThatDoesNotAnswerIsNotTheRecordsFault() throws IOException {
    List<Sample> avro = avro(Samples.read("postgres-orders-schema.tsv"));
    DebeziumTable table = infer(avro);
    server.failing(500);

    assertThrows(
        SchemaRegistryException.class,
        () -> DebeziumDecoder.avro(table, registry).decode(null, avro.get(1).value()));
  }

  @Test
  void logicalTypesOfAvroSayWhatConnectWould() throws Exception {
    Schema decimal = LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));
    Schema date = LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
    Schema micros = LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG));
    Schema millis = LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG));
    Schema time = LogicalTypes.timeMicros().addToSchema(Schema.create(Schema.Type.LONG));
    Schema row =
        SchemaBuilder.record("Row")
            .fields()
            .name("decimal")
            .type(decimal)
            .noDefault()
            .name("date")
            .type(date)
            .noDefault()
            .name("micros")
            .type(micros)
            .noDefault()
            .name("millis")
            .type(millis)
            .noDefault()
            .name("time")
            .type(time)
            .noDefault()
            .name("fixed")
            .type(Schema.createFixed("F", null, null, 2))
            .noDefault()
            .name("symbol")
            .type(Schema.createEnum("E", null, null, List.of("A")))
            .noDefault()
            .endRecord();

    org.apache.beam.sdk.schemas.Schema columns = AvroSchemas.toConnect(row).columns();

    assertThat(
        columns.getFields().stream().map(field -> field.getType().withNullable(false)).toList(),
        contains(
            FieldType.logicalType(FixedPrecisionNumeric.of(9, 2)),
            FieldType.logicalType(SqlTypes.DATE),
            FieldType.logicalType(SqlTypes.DATETIME),
            FieldType.logicalType(SqlTypes.DATETIME),
            FieldType.STRING,
            FieldType.BYTES,
            FieldType.STRING));
  }

  @Test
  void schemasThatConnectDoesNotHaveAreRefused() {
    Schema union =
        Schema.createUnion(Schema.create(Schema.Type.INT), Schema.create(Schema.Type.STRING));
    Schema list =
        new Schema.Parser()
            .parse(
                "{\"type\":\"record\",\"name\":\"L\",\"fields\":[{\"name\":\"next\",\"type\":[\"null\",\"L\"]}]}");

    assertThat(
        assertThrows(BadEventException.class, () -> AvroSchemas.toConnect(union)).getMessage(),
        is("A union must be one of null and one other type."));
    assertThat(
        assertThrows(BadEventException.class, () -> AvroSchemas.toConnect(list)).getMessage(),
        is("A schema must not refer to itself."));
  }
}
