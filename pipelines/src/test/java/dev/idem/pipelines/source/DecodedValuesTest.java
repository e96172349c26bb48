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
package dev.idem.pipelines.source;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.decode.JsonRowDecoder;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import dev.idem.pipelines.event.MetadataColumns;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.Row;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A value that no later step takes ends every attempt of its batch, so the decoder must say so. */
class DecodedValuesTest {

  private static final int RANDOM_VALUES = 3_000;

  private static final List<String> EXTREMES =
      List.of(
          "0",
          "-0.0",
          "true",
          "\"\"",
          "\"AQI=\"",
          "\"\\ud800\"",
          "[1,{\"a\":1e100000000}]",
          "2147483647",
          "-2147483649",
          "9223372036854775807",
          "-9223372036854775808",
          "9223372036854775808",
          "9223372036854775",
          "-9223372036854775",
          "9223372036854776",
          "-9223372036854776",
          "1700000000000000000",
          "0e-100000000",
          "0e100000000",
          "1e100000000",
          "1e-100000000",
          "1e2147483647",
          "100e2147483647",
          "1e-2147483647",
          "1.5e-2147483647",
          "1e99999999999",
          "1e400",
          "99999999999999999999999999999999999999",
          "-99999999999999999999999999999999999999",
          "100000000000000000000000000000000000000",
          "0.99999999999999999999999999999999999999",
          "9".repeat(999),
          "0." + "0".repeat(900) + "1",
          "\"0001-01-01\"",
          "\"+999999999-12-31\"",
          "\"-999999999-01-01\"",
          "\"+5881580-07-11\"",
          "\"+5881580-07-12\"",
          "\"-5877641-06-23\"",
          "\"-5877641-06-22\"",
          "\"1969-12-31T23:59:59.999999Z\"",
          "\"+294247-01-10T04:00:54.775Z\"",
          "\"+294247-01-10T04:00:54.775807Z\"",
          "\"+294247-01-10T04:00:54.775808Z\"",
          "\"-290308-12-21T19:59:05.225Z\"",
          "\"-290308-12-21T19:59:05.224192Z\"",
          "\"-290308-12-21T19:59:05.224191Z\"",
          "\"+999999-01-01T00:00:00Z\"",
          "\"+999999999-12-31T23:59:59-18:00\"",
          "\"-999999999-01-01T00:00:00+18:00\"");

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "string",
        "long",
        "integer",
        "double",
        "boolean",
        "timestamp",
        "date",
        "binary",
        "decimal(1,0)",
        "decimal(9,2)",
        "decimal(18,6)",
        "decimal(38,0)",
        "decimal(38,38)"
      })
  void whatTheDecoderTakesEveryLaterStepTakes(String type) throws IOException {
    long seed = new Random().nextLong();
    List<String> values = new ArrayList<>(EXTREMES);
    Random random = new Random(seed);
    for (int i = 0; i < RANDOM_VALUES; i++) {
      values.add(value(random));
    }
    Schema schema =
        DeltaSchemas.parse(
            "{\"type\":\"struct\",\"fields\":[{\"name\":\"c\",\"type\":\"%s\",\"nullable\":true,\"metadata\":{}}]}"
                .formatted(type));
    JsonRowDecoder decoder = JsonRowDecoder.of(schema);
    RowEncoding encoding = RowEncoding.of(schema);
    EventCoder coder = EventCoder.of(schema);
    EventTime eventTime = EventTime.of(schema, "c");
    int taken = 0;
    try (DataFileWriter writer = writer("values", schema)) {
      for (String value : values) {
        if (decoder.decode(("{\"c\":" + value + "}").getBytes(UTF_8))
            instanceof Decoded.AsRow decoded) {
          taken++;
          assertDoesNotThrow(
              () -> {
                Row row = decoded.row();
                eventTime.read(row);
                encoding.fingerprint(row);
                CoderUtils.decodeFromByteArray(
                    coder, CoderUtils.encodeToByteArray(coder, Event.of(row)));
                writer.write(row);
              },
              "seed " + seed + ", value " + value);
        }
      }
      assertThat(writer.finish().stream().mapToLong(file -> file.rows()).sum(), is((long) taken));
    }
    assertThat(taken, greaterThan(0));
  }

  /** Returns a JSON value of any kind, often near a boundary of some column type. */
  private static String value(Random random) {
    String sign = random.nextBoolean() ? "-" : "";
    String digits = digits(random, 1 + random.nextInt(40));
    return switch (random.nextInt(8)) {
      case 0 -> sign + digits;
      case 1 -> sign + digits + "." + digits(random, 1 + random.nextInt(40));
      case 2 -> sign + digits + "e" + (random.nextInt(80) - 40);
      case 3 -> sign + digits + "e" + (random.nextInt() >> random.nextInt(31));
      case 4 -> Long.toString(random.nextLong() >> random.nextInt(63));
      case 5 -> "\"" + year(random) + "-12-31\"";
      case 6 -> "\"" + year(random) + "-12-31T23:59:59." + digits(random, 6) + "Z\"";
      default -> "\"" + digits + "\"";
    };
  }

  /** Returns digits, the first of which is no zero if there are more. */
  private static String digits(Random random, int count) {
    StringBuilder digits = new StringBuilder().append((char) ('1' + random.nextInt(9)));
    while (digits.length() < count) {
      digits.append((char) ('0' + (random.nextBoolean() ? 0 : random.nextInt(10))));
    }
    return digits.toString();
  }

  private static String year(Random random) {
    int year = random.nextInt(-999_999_999, 1_000_000_000) / (int) Math.pow(10, random.nextInt(7));
    return Math.abs(year) > 9_999
        ? "%+d".formatted(year)
        : (year < 0 ? "-" : "") + "%04d".formatted(Math.abs(year));
  }

  @Test
  void eventTimeThatMillisecondsCannotHoldIsRefusedByColumn() {
    Schema schema =
        DeltaSchemas.parse(
            "{\"type\":\"struct\",\"fields\":[{\"name\":\"at\",\"type\":\"timestamp\",\"nullable\":true,\"metadata\":{}}]}");
    Row row = Row.withSchema(schema).attachValues(List.of(Instant.MAX));

    Object read = EventTime.of(schema, "at").read(row);

    assertThat(read, instanceOf(Decoded.Refused.class));
    assertThat(((Decoded.Refused) read).column(), is("at"));
  }

  @Test
  void recordTimestampsOutOfRangeAreTheNearestThatTablesHold() throws IOException {
    Schema empty = Schema.builder().build();
    Schema withTimestamp = MetadataColumns.append(empty, List.of(MetadataColumns.TIMESTAMP));
    List<Instant> times = new ArrayList<>();
    try (DataFileWriter writer = writer("records", withTimestamp)) {
      for (long timestamp :
          new long[] {Long.MIN_VALUE, -1, 1_700_000_000_000_000_000L, Long.MAX_VALUE}) {
        Event.Origin origin = new Event.Origin("t", 0, 0, 0, timestamp, null, null);
        Row row =
            MetadataColumns.append(
                Row.withSchema(empty).attachValues(List.of()),
                withTimestamp,
                List.of(MetadataColumns.TIMESTAMP),
                origin,
                new RecordHeaders(),
                0);
        writer.write(row);
        times.add(row.getLogicalTypeValue(0, Instant.class));
      }
      writer.finish();
    }

    Instant last = Instant.parse("+294247-01-10T04:00:54.775Z");
    assertThat(
        times,
        is(
            List.of(
                Instant.parse("-290308-12-21T19:59:05.225Z"),
                Instant.parse("1969-12-31T23:59:59.999Z"),
                last,
                last)));
  }

  private DataFileWriter writer(String table, Schema schema) {
    return DataFileWriter.open(
        DataFileSpec.of(directory.resolve(table).toString(), DeltaSchemas.toJson(schema)));
  }
}
