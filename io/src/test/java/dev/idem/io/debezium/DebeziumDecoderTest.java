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
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.debezium.DebeziumDecoder.UnknownColumns;
import dev.idem.io.debezium.DecodedEvent.Changes;
import dev.idem.io.debezium.DecodedEvent.Reason;
import dev.idem.io.debezium.DecodedEvent.Refused;
import dev.idem.io.debezium.Samples.Sample;
import dev.idem.testing.Covers;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.FixedPrecisionNumeric;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.schemas.logicaltypes.SqlTypes;
import org.junit.jupiter.api.Test;

class DebeziumDecoderTest {
  private static final String POSTGRES =
      "'source':{'connector':'postgresql','name':'shop','db':'d','ts_ms':9,"
          + "'sequence':'[\\'70\\',\\'80\\']','lsn':80}";

  private static final DebeziumTable TABLE =
      new DebeziumTable(
          Schema.builder().addInt64Field("id").addNullableStringField("name").build(),
          List.of("id"),
          "postgresql");

  /** Events are written with single quotes, and those in texts with a backslash before them. */
  private static Sample event(String key, String value) {
    return Sample.of(json(key), json(value));
  }

  private static String json(String text) {
    return text == null ? null : text.replace("\\'", "\\\"").replace('\'', '"');
  }

  private static Sample postgres(String op, String before, String after) {
    return event(
        "{'id':1}", "{'op':'%s','before':%s,'after':%s,%s}".formatted(op, before, after, POSTGRES));
  }

  private static Refused refused(DebeziumDecoder decoder, Sample sample) {
    DecodedEvent decoded = decoder.decode(sample.key(), sample.value());
    assertThat(decoded, instanceOf(Refused.class));
    return (Refused) decoded;
  }

  private static Map<String, Object> change(String op, Map<String, Object> columns) {
    Map<String, Object> change = new HashMap<>(columns);
    change.putAll(Map.of("__op", op, "__commit_lsn", 70L, "__lsn", 80L, "__source_ts_ms", 9L));
    return change;
  }

  @Test
  void anUpdateThatMovesARowIsADeleteAndAnUpsertAtOneSequence() {
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE);

    assertThat(
        Samples.changes(decoder, postgres("u", "{'id':1,'name':'a'}", "{'id':2,'name':'b'}")),
        contains(change("d", Map.of("id", 1L)), change("u", Map.of("id", 2L, "name", "b"))));
    assertThat(
        Samples.changes(decoder, postgres("u", "{'id':1,'name':'a'}", "{'id':1,'name':'b'}")),
        contains(change("u", Map.of("id", 1L, "name", "b"))));
    assertThat(
        Samples.changes(decoder, postgres("u", "{'id':null,'name':null}", "{'id':1,'name':'b'}")),
        contains(change("u", Map.of("id", 1L, "name", "b"))));
  }

  @Test
  void anUpdateThatMovesARowMustCarryAllOfIt() {
    Sample moved =
        postgres("u", "{'id':1,'name':'a'}", "{'id':2,'name':'__debezium_unavailable_value'}");

    assertThat(refused(DebeziumDecoder.json(TABLE), moved).column(), is("name"));
    assertThat(
        Samples.changes(DebeziumDecoder.json(TABLE).acceptIncompleteRows(), moved),
        contains(
            change("d", Map.of("id", 1L)),
            change("u", Map.of("id", 2L, "__columns", List.of("id")))));
  }

  @Test
  void aColumnThatTheEventDoesNotHaveIsNotCarriedAndNullIsAValue() {
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE);

    assertThat(
        Samples.change(decoder, postgres("u", "null", "{'id':1}")),
        equalTo(change("u", Map.of("id", 1L, "__columns", List.of("id")))));
    assertThat(
        Samples.change(decoder, postgres("u", "null", "{'id':1,'name':null}")),
        equalTo(change("u", Map.of("id", 1L))));
  }

  @Test
  void aDeleteTakesItsKeyFromTheRowOrTheRecord() {
    DebeziumDecoder byId = DebeziumDecoder.json(TABLE);
    DebeziumDecoder byName = DebeziumDecoder.json(TABLE.withKeys(List.of("name")));

    assertThat(
        Samples.change(byId, postgres("d", "{'id':7,'name':'a'}", "null")),
        equalTo(change("d", Map.of("id", 7L))));
    assertThat(
        Samples.change(byId, postgres("d", "null", "null")),
        equalTo(change("d", Map.of("id", 1L))));
    assertThat(
        Samples.change(byName, postgres("d", "{'id':7,'name':'a'}", "null")),
        equalTo(change("d", Map.of("name", "a"))));
    assertThat(
        refused(byName, postgres("d", "{'id':7,'name':null}", "null")),
        equalTo(
            new Refused(
                Reason.NULL_KEY,
                "name",
                "A key column must have a value, in the row or in the record's key.")));
  }

  @Test
  @Covers.Case("DEV-24")
  void nullKeysAndNullValuesAreReadWithoutFailing() {
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE);
    String row = "{'op':'c','before':null,'after':{'id':%s,'name':'v'},%s}";
    List<Sample> topic =
        List.of(
            event("{'id':1}", row.formatted(1, POSTGRES)),
            event("{'id':2}", row.formatted(2, POSTGRES)),
            event(null, row.formatted("null", POSTGRES)),
            event("{'id':1}", null),
            event("{'id':3}", null));

    List<String> decoded = new ArrayList<>();
    for (Sample sample : topic) {
      DecodedEvent event = decoder.decode(sample.key(), sample.value());
      decoded.add(
          event instanceof Refused refused
              ? refused.reason().label() + " " + refused.column()
              : event instanceof Changes changes
                  ? "upsert " + changes.rows().get(0).getInt64("id")
                  : "tombstone");
    }

    assertThat(decoded, contains("upsert 1", "upsert 2", "null key id", "tombstone", "tombstone"));
  }

  @Test
  void aTombstoneMayBeAnEnvelopeOfNull() {
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE);
    Sample wrapped = event("{'id':1}", "{'schema':null,'payload':null}");

    assertThat(
        decoder.decode(wrapped.key(), wrapped.value()), equalTo(new DecodedEvent.Tombstone()));
  }

  @Test
  void aKeyColumnMayBeNamedAsThePayload() {
    Schema columns = Schema.builder().addInt64Field("payload").build();
    DebeziumDecoder decoder =
        DebeziumDecoder.json(new DebeziumTable(columns, List.of("payload"), "postgresql"));
    Sample deleted = event("{'payload':5}", "{'op':'d'," + POSTGRES + "}");

    assertThat(Samples.change(decoder, deleted), equalTo(change("d", Map.of("payload", 5L))));
  }

  @Test
  void unknownColumnsAreRefusedIgnoredOrFailing() {
    Sample sample = postgres("c", "null", "{'id':1,'name':'a','more':1}");
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE);

    assertThat(
        refused(decoder, sample),
        equalTo(new Refused(Reason.PARSE_ERROR, "more", "A column must be one of the schema's.")));
    assertThat(
        Samples.change(decoder.withUnknownColumns(UnknownColumns.IGNORE), sample),
        equalTo(change("c", Map.of("id", 1L, "name", "a"))));
    UnknownColumnException e =
        assertThrows(
            UnknownColumnException.class,
            () ->
                decoder
                    .withUnknownColumns(UnknownColumns.FAIL)
                    .decode(sample.key(), sample.value()));
    assertThat(e.column(), is("more"));
    assertThat(
        e.getMessage(),
        is(
            "Column of an event must be one of the schema's, but was: \"more\". Add it to the"
                + " schema, or let unknown columns be ignored or dead letters."));
  }

  @Test
  void whatIsNoEventIsRefusedWithTheRule() {
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE);

    assertRefused(decoder, "", "parse error", null, "A record must be one JSON object.");
    assertRefused(decoder, "[1]", "parse error", null, "A record must be one JSON object.");
    assertRefused(decoder, "{'op':", "parse error", null, "A record must be well-formed JSON.");
    assertRefused(
        decoder, "{'op':'c'} 1", "parse error", null, "Nothing may follow the JSON object.");
    assertRefused(
        decoder, "{'op':'c','op':'d'}", "parse error", "op", "A field must be given once.");
    assertRefused(
        decoder, "{}", "missing field", "op", "An event must say what happened, by \"op\".");
    assertRefused(
        decoder, "{'op':'c'}", "missing field", "source", "An event must say where it is from.");
    assertRefused(
        decoder,
        "{'op':'c','source':1}",
        "parse error",
        "source",
        "The part of an event must be a struct.");
    assertRefused(
        decoder,
        "{'op':'m'," + POSTGRES + "}",
        "parse error",
        "op",
        "What happened must be one of c, r, u, d and t.");
    assertRefused(
        decoder,
        "{'op':'c'," + POSTGRES + "}",
        "missing field",
        "after",
        "An event must have the row as it is.");
    assertRefused(
        decoder,
        "{'op':'c','source':{'connector':'mysql'}}",
        "parse error",
        "source.connector",
        "An event must be one of connector postgresql.");
    assertRefused(
        decoder,
        "{'op':'c','source':{'connector':'postgresql','ts_ms':1}}",
        "missing field",
        "source.lsn",
        "An event must have its position in the source's log.");
    assertRefused(
        decoder,
        "{'op':'c','after':{'id':'one'}," + POSTGRES + "}",
        "parse error",
        "id",
        "A value must be one that its column's type can hold.");
    assertRefused(
        decoder,
        "{'schema':{'type':'point'},'payload':{}}",
        "parse error",
        null,
        "A schema must have a type that Connect has.");
  }

  private static void assertRefused(
      DebeziumDecoder decoder, String value, String reason, String column, String rule) {
    Refused refused = refused(decoder, event(null, value));
    assertThat(value, refused.reason().label(), is(reason));
    assertThat(value, refused.column(), is(column));
    assertThat(value, refused.rule(), is(rule));
  }

  @Test
  void noBytesMakeItThrow() {
    long seed = 20261130;
    Random random = new Random(seed);
    List<Sample> samples = new ArrayList<>(Samples.read("postgres-orders-schema.tsv"));
    samples.addAll(Samples.read("postgres-placeholders-schema.tsv"));
    samples.addAll(Samples.read("postgres-pairs-plain.tsv"));
    DebeziumDecoder typed =
        DebeziumDecoder.json(Samples.infer(Samples.read("postgres-orders-schema.tsv")))
            .withUnknownColumns(UnknownColumns.IGNORE)
            .withUnit(ChronoUnit.NANOS);
    int refused = 0;

    for (int i = 0; i < 20_000; i++) {
      Sample sample = samples.get(random.nextInt(samples.size()));
      byte[] key = damaged(sample.key(), random);
      byte[] value = damaged(sample.value(), random);
      DecodedEvent decoded = typed.decode(key, value);
      refused += decoded instanceof Refused ? 1 : 0;
      assertThat("seed " + seed + ", " + i, typed.decode(key, value), equalTo(decoded));
    }

    assertThat("seed " + seed + ", refused: " + refused, refused > 2_000, is(true));
  }

  private static byte[] damaged(byte[] bytes, Random random) {
    if (bytes == null || random.nextInt(4) == 0) {
      return bytes;
    }
    byte[] damaged = bytes.clone();
    for (int times = random.nextInt(3); times >= 0; times--) {
      String some = "0123456789-+eE.\"{}[],:nultrfasbc\\";
      damaged[random.nextInt(damaged.length)] =
          (byte)
              (random.nextInt(8) == 0
                  ? random.nextInt(256)
                  : some.charAt(random.nextInt(some.length())));
    }
    return random.nextInt(8) == 0
        ? Arrays.copyOf(damaged, random.nextInt(damaged.length))
        : damaged;
  }

  @Test
  void columnsOfTheTableMayBeTheSequenceWhateverTheConnector() {
    Schema columns = Schema.builder().addInt64Field("id").addNullableInt64Field("version").build();
    DebeziumTable table = new DebeziumTable(columns, List.of("id"), "oracle");

    DebeziumDecoder decoder = DebeziumDecoder.json(table, "version");
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> DebeziumDecoder.json(table));

    assertThat(
        e.getMessage(),
        is(
            "Connector must be one whose positions order changes (postgresql, mysql, mariadb,"
                + " sqlserver), but was: \"oracle\". Name columns that tell newer rows from older"
                + " ones (sequenceBy)."));
    assertThat(decoder.sequenceBy(), contains("version"));
    assertThat(
        decoder.schema().getFieldNames(),
        contains("id", "version", "__op", "__source_ts_ms", "__columns"));
    Sample deleted =
        event(
            null,
            "{'op':'d','before':{'id':1,'version':5},'source':{'connector':'oracle','ts_ms':9}}");
    assertThat(
        Samples.change(decoder, deleted),
        equalTo(Map.of("id", 1L, "version", 5L, "__op", "d", "__source_ts_ms", 9L)));
    Sample moved =
        event(
            null,
            "{'op':'u','before':{'id':1,'version':5},'after':{'id':2,'version':6},"
                + "'source':{'connector':'oracle','ts_ms':9}}");
    assertThat(
        Samples.changes(decoder, moved),
        contains(
            Map.of("id", 1L, "version", 6L, "__op", "d", "__source_ts_ms", 9L),
            Map.of("id", 2L, "version", 6L, "__op", "u", "__source_ts_ms", 9L)));
    assertThat(
        refused(decoder, event(null, "{'op':'t','source':{'connector':'oracle','ts_ms':9}}"))
            .rule(),
        is("What happened must be one of c, r, u and d; truncates are refused."));
  }

  @Test
  void truncatesMayBeRefused() {
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE).refuseTruncates();

    assertThat(
        refused(decoder, postgres("t", "null", "null")),
        equalTo(
            new Refused(
                Reason.PARSE_ERROR,
                "op",
                "What happened must be one of c, r, u and d; truncates are refused.")));
  }

  @Test
  void namesThatChangesUseAreNotThoseOfColumns() {
    Schema columns = Schema.builder().addInt64Field("id").addStringField("__lsn").build();

    IllegalArgumentException e =
        assertThrows(
            IllegalArgumentException.class,
            () -> DebeziumDecoder.json(new DebeziumTable(columns, List.of("id"), "postgresql")));

    assertThat(
        e.getMessage(),
        is(
            "Column must not have a name that changes use themselves, but was: \"__lsn\". Rename it"
                + " before the events are sent."));
  }

  @Test
  void keysMustBeColumns() {
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> DebeziumDecoder.json(TABLE.withKeys(List.of())))
            .getMessage(),
        is(
            "Keys must be at least one column, but was: none. Name the columns that identify a row;"
                + " the events of a table without a primary key do not."));
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> DebeziumDecoder.json(TABLE.withKeys(List.of("no"))))
            .getMessage(),
        is("Key column must be one of the table's, but was: \"no\". Use one of [id, name]."));
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> DebeziumDecoder.json(TABLE, "no"))
            .getMessage(),
        is("Sequence column must be one of the table's, but was: \"no\". Use one of [id, name]."));
  }

  private static DebeziumDecoder of(FieldType type) {
    Schema columns =
        Schema.builder().addInt64Field("id").addField(Field.nullable("v", type)).build();
    return DebeziumDecoder.json(new DebeziumTable(columns, List.of("id"), "postgresql"));
  }

  private static Object untyped(DebeziumDecoder decoder, String value) {
    return Samples.change(decoder, postgres("c", "null", "{'id':1,'v':" + value + "}")).get("v");
  }

  private static Sample typed(String schema, String value) {
    String row =
        "{'type':'struct','fields':[{'type':'int64','field':'id'},{%s,'optional':true,'field':'v'}],"
            + "'optional':true,'field':'after'}";
    String source =
        "{'type':'struct','field':'source','fields':[{'type':'string','field':'connector'},"
            + "{'type':'string','field':'name'},{'type':'int64','field':'ts_ms'},"
            + "{'type':'string','field':'db'},{'type':'string','field':'sequence'},"
            + "{'type':'int64','field':'lsn'}]}";
    return event(
        null,
        "{'schema':{'type':'struct','fields':[%s,%s,{'type':'string','field':'op'}]},'payload':{'op':'c','after':{'id':1,'v':%s},%s}}"
            .formatted(row.formatted(schema), source, value, POSTGRES));
  }

  private static Object typed(DebeziumDecoder decoder, String schema, String value) {
    return Samples.change(decoder, typed(schema, value)).get("v");
  }

  private static Object inferred(String schema, String value) {
    Sample sample = typed(schema, value);
    DebeziumTable table = Samples.infer(List.of(sample)).withKeys(List.of("id"));
    return Samples.change(DebeziumDecoder.json(table), sample).get("v");
  }

  private static String named(String type, String name) {
    return "'type':'" + type + "','name':'" + name + "'";
  }

  @Test
  void namesOfSchemasDecideWhatValuesMean() {
    String decimal = named("bytes", "org.apache.kafka.connect.data.Decimal");
    String scale2 = decimal + ",'parameters':{'scale':'2','connect.decimal.precision':'9'}";
    String wide = decimal + ",'parameters':{'scale':'2','connect.decimal.precision':'50'}";

    assertThat(inferred(scale2, "'ANI='"), is(new BigDecimal("2.10")));
    assertThat(inferred(scale2, "'/w=='"), is(new BigDecimal("-0.01")));
    assertThat(inferred(scale2, "2.1"), is(new BigDecimal("2.10")));
    assertThat(inferred(wide, "'ANI='"), is("2.10"));
    assertThat(inferred(named("int32", "io.debezium.time.Date"), "-1"), is(date("1969-12-31")));
    assertThat(
        inferred(named("int32", "org.apache.kafka.connect.data.Date"), "1"),
        is(date("1970-01-02")));
    assertThat(
        inferred(named("int64", "io.debezium.time.Timestamp"), "-1"),
        is(LocalDateTime.parse("1969-12-31T23:59:59.999")));
    assertThat(
        inferred(named("int64", "org.apache.kafka.connect.data.Timestamp"), "1"),
        is(LocalDateTime.parse("1970-01-01T00:00:00.001")));
    assertThat(
        inferred(named("int64", "io.debezium.time.MicroTimestamp"), "-1"),
        is(LocalDateTime.parse("1969-12-31T23:59:59.999999")));
    assertThat(
        inferred(named("int64", "io.debezium.time.NanoTimestamp"), "1000"),
        is(LocalDateTime.parse("1970-01-01T00:00:00.000001")));
    assertThat(
        inferred(named("string", "io.debezium.time.ZonedTimestamp"), "'2026-01-01T01:00:00+01:00'"),
        is(Instant.parse("2026-01-01T00:00:00Z")));
    assertThat(inferred(named("int32", "io.debezium.time.Time"), "3723004"), is("01:02:03.004"));
    assertThat(
        inferred(named("int64", "io.debezium.time.MicroTime"), "-3020399000000"), is("-838:59:59"));
    assertThat(
        inferred(named("int64", "io.debezium.time.NanoTime"), "1"), is("00:00:00.000000001"));
    assertThat(inferred(named("int32", "io.debezium.time.Year"), "2026"), is(2026));
    assertThat(inferred("'type':'int8'", "-128"), is((byte) -128));
    assertThat(inferred("'type':'float'", "'NaN'"), is(Float.NaN));
    assertThat(inferred("'type':'double'", "'-Infinity'"), is(Double.NEGATIVE_INFINITY));
    assertThat(
        inferred("'type':'map','keys':{'type':'string'},'values':{'type':'int32'}", "{'a':1}"),
        is(Map.of("a", 1)));
  }

  private static LocalDate date(String text) {
    return LocalDate.parse(text);
  }

  @Test
  void valuesFitColumnsThatAreDeclaredOtherwiseIfNothingIsLost() {
    String variable =
        "'type':'struct','name':'io.debezium.data.VariableScaleDecimal','fields':"
            + "[{'type':'int32','field':'scale'},{'type':'bytes','field':'value'}]";
    FieldType numeric = FieldType.logicalType(FixedPrecisionNumeric.of(10, 2));

    assertThat(typed(of(FieldType.INT64), "'type':'int32'", "5"), is(5L));
    assertThat(typed(of(FieldType.INT16), "'type':'int32'", "5"), is((short) 5));
    assertThat(typed(of(FieldType.DOUBLE), "'type':'int32'", "5"), is(5.0));
    assertThat(typed(of(FieldType.STRING), "'type':'int32'", "5"), is("5"));
    assertThat(
        typed(of(numeric), variable, "{'scale':1,'value':'Dw=='}"), is(new BigDecimal("1.50")));
    assertThat(
        typed(of(FieldType.DECIMAL), variable, "{'scale':1,'value':'Dw=='}"),
        is(new BigDecimal("1.5")));
    assertThat(
        typed(
            of(FieldType.logicalType(new MicrosInstant())),
            named("int64", "io.debezium.time.MicroTimestamp"),
            "1"),
        is(Instant.parse("1970-01-01T00:00:00.000001Z")));
    assertThat(
        refused(of(numeric), typed(variable, "{'scale':3,'value':'Dw=='}")),
        equalTo(
            new Refused(
                Reason.PARSE_ERROR,
                "v",
                "A decimal must have precision 10 and scale 2 without rounding.")));
    assertThat(
        refused(of(FieldType.INT16), typed("'type':'int32'", "40000")).rule(),
        is("A value must be one that its column's type can hold."));
  }

  @Test
  void nanosecondsAreRefusedOrCut() {
    DebeziumDecoder decoder = of(FieldType.logicalType(SqlTypes.DATETIME));
    Sample sample = typed(named("int64", "io.debezium.time.NanoTimestamp"), "1999");

    assertThat(
        refused(decoder, sample).rule(),
        is(
            "A timestamp must have at most microseconds, within 64 bits of microseconds around"
                + " 1970."));
    assertThat(
        Samples.change(decoder.truncateNanoseconds(), sample).get("v"),
        is(LocalDateTime.parse("1970-01-01T00:00:00.000001")));
  }

  @Test
  void withoutASchemaTheColumnsTypeDecides() {
    FieldType numeric = FieldType.logicalType(FixedPrecisionNumeric.of(10, 2));
    Schema point = Schema.builder().addNullableDoubleField("x").build();

    assertThat(untyped(of(FieldType.logicalType(SqlTypes.DATE)), "1"), is(date("1970-01-02")));
    assertThat(
        untyped(of(FieldType.logicalType(SqlTypes.DATE)), "'1970-01-02'"), is(date("1970-01-02")));
    assertThat(
        untyped(of(FieldType.logicalType(new MicrosInstant())), "'2026-01-01T00:00:00Z'"),
        is(Instant.parse("2026-01-01T00:00:00Z")));
    assertThat(
        untyped(of(FieldType.logicalType(SqlTypes.DATETIME)).withUnit(ChronoUnit.MILLIS), "1001"),
        is(LocalDateTime.parse("1970-01-01T00:00:01.001")));
    assertThat(
        untyped(of(FieldType.logicalType(SqlTypes.DATETIME)), "'2026-01-01T00:00:00.5Z'"),
        is(LocalDateTime.parse("2026-01-01T00:00:00.5")));
    assertThat(untyped(of(numeric), "'ANI='"), is(new BigDecimal("2.10")));
    assertThat(untyped(of(numeric).withDecimalsAsText(), "'2.1'"), is(new BigDecimal("2.10")));
    assertThat(untyped(of(numeric), "2.1"), is(new BigDecimal("2.10")));
    assertThat(
        untyped(of(FieldType.DECIMAL), "{'scale':1,'value':'Dw=='}"), is(new BigDecimal("1.5")));
    assertThat(untyped(of(FieldType.BYTES), "'AP8='"), is("0x00ff"));
    assertThat(untyped(of(FieldType.STRING), "{'a': [1.50, null]}"), is("{\"a\":[1.50,null]}"));
    assertThat(untyped(of(FieldType.row(point)), "{'x':1,'y':2}"), is(Map.of("x", 1.0)));
    assertThat(
        untyped(of(FieldType.array(FieldType.INT32.withNullable(true))), "[1,null]"),
        is(List.of(1, "null")));
    assertThat(untyped(of(FieldType.FLOAT), "'Infinity'"), is(Float.POSITIVE_INFINITY));
    assertThat(untyped(of(FieldType.BOOLEAN), "true"), is(true));
  }

  @Test
  void hugeExponentsCostNothing() {
    FieldType numeric = FieldType.logicalType(FixedPrecisionNumeric.of(10, 2));
    for (FieldType type : List.of(numeric, FieldType.STRING, FieldType.DECIMAL)) {
      for (String number : List.of("1e999999999", "-1e400")) {
        Sample sample = postgres("c", "null", "{'id':1,'v':" + number + "}");
        assertThat(type + " " + number, refused(of(type), sample).column(), is("v"));
      }
    }
    assertThat(untyped(of(FieldType.STRING), "1e300"), is("1E+300"));
    assertThat(
        refused(of(numeric), postgres("c", "null", "{'id':1,'v':1e-999999999}")).column(), is("v"));
  }

  @Test
  void withoutSchemasValuesGiveTheTypes() {
    Sample first = postgres("c", "null", "{'id':1,'a':1,'b':true,'c':null,'d':{'x':1}}");
    Sample second = postgres("c", "null", "{'id':2,'a':1.5,'b':'t','c':null,'e':2}");
    Sample garbage = Sample.of("x", "not an event");

    assertThat(
        Samples.infer(List.of(garbage, first, second)),
        equalTo(
            new DebeziumTable(
                Schema.builder()
                    .addNullableInt64Field("id")
                    .addNullableDoubleField("a")
                    .addNullableStringField("b")
                    .addNullableStringField("c")
                    .addNullableStringField("d")
                    .addNullableInt64Field("e")
                    .build(),
                List.of("id"),
                "postgresql")));
  }

  @Test
  void keysThatAreNoStructsNameNoColumns() {
    Sample plain = postgres("c", "null", "{'id':1}");
    DebeziumInference inference = DebeziumInference.json();

    inference.add("text".getBytes(StandardCharsets.UTF_8), plain.value());

    assertThat(inference.parsed(), is(1));
    assertThat(inference.table().keys(), is(List.of()));
    assertThat(inference.table().columns().getFieldNames(), contains("id"));
  }

  @Test
  void contradictionsOfWhatASchemaIsInferredFromAreRefused() {
    Sample int32 = typed("'type':'int32'", "1");
    Sample text = typed("'type':'string'", "'1'");
    Sample plain = postgres("c", "null", "{'id':1}");
    Sample otherKey = Sample.of("{\"no\":1}", new String(plain.value(), StandardCharsets.UTF_8));
    Sample mysql = event("{'id':1}", "{'op':'c','after':{},'source':{'connector':'mysql'}}");

    assertThat(
        assertThrows(IllegalArgumentException.class, () -> Samples.infer(List.of(int32, text)))
            .getMessage(),
        is(
            "Column \"v\" must have one type in all events that a schema is inferred from, but was:"
                + " INT32 and STRING. Declare the schema."));
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> Samples.infer(List.of(plain, otherKey)))
            .getMessage(),
        is(
            "Records of a table must have one kind of key, but was: columns [id] and columns [no]."
                + " Name the keys."));
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> Samples.infer(List.of(plain, mysql)))
            .getMessage(),
        is(
            "Events of a table must come from one connector, but was: \"postgresql\" and \"mysql\"."
                + " Read one topic for each."));
    assertThat(
        assertThrows(IllegalStateException.class, () -> Samples.infer(List.of())).getMessage(),
        is(
            "Records to infer a schema from must hold an event, but was: none. Check the topic and"
                + " the format, or declare the schema."));
  }
}
