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
package dev.idem.transforms.dedup;

import dev.idem.transforms.Runner;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TimestampedValue;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;
import org.joda.time.Instant;

/** The rows that most tests of this package deduplicate: an id, a value, and where it was read. */
final class Clicks {
  static final Schema SCHEMA =
      Schema.builder()
          .addNullableStringField("id")
          .addNullableInt64Field("value")
          .addInt64Field("offset")
          .build();
  static final Instant NOON = Instant.parse("2026-01-10T12:00:00Z");

  private static final RowEncoding KEY = RowEncoding.of(SCHEMA, List.of("id"));
  private static final RowEncoding PAYLOAD = RowEncoding.of(SCHEMA, List.of("value"));

  private Clicks() {}

  static DeduplicateWithinWatermark<Row> deduplicate() {
    return DeduplicateWithinWatermark.rows("id")
        .withHorizon(Duration.standardMinutes(5))
        .withoutPayload("offset")
        .withShards(4);
  }

  static Instant minute(double minutes) {
    return NOON.plus(Duration.millis((long) (minutes * 60_000)));
  }

  static Row row(@Nullable String id, @Nullable Long value, long offset) {
    return Row.withSchema(SCHEMA).addValues(id, value, offset).build();
  }

  static TimestampedValue<Row> click(@Nullable String id, long value, double minutes, long offset) {
    return TimestampedValue.of(row(id, value, offset), minute(minutes));
  }

  static Remembered remembered(String id, long value, double expiryMinutes) {
    return new Remembered(key(id), payload(value), minute(expiryMinutes));
  }

  static Fingerprint key(String id) {
    return KEY.fingerprint(row(id, null, 0));
  }

  static long payload(long value) {
    return PAYLOAD.fingerprint(row(null, value, 0)).high();
  }

  static Verdict<Row> verdict(Verdict.Kind kind, TimestampedValue<Row> click) {
    return Verdict.of(kind, click.getValue());
  }

  static Verdict<Row> verdict(
      Verdict.Kind kind, TimestampedValue<Row> click, Remembered remembered) {
    return new Verdict<>(kind, click.getValue(), remembered);
  }

  /** Runs one batch and returns its verdicts with their timestamps. */
  static List<TimestampedValue<Verdict<Row>>> runTimestamped(
      Runner runner,
      List<TimestampedValue<Row>> clicks,
      DeduplicateWithinWatermark<Row> deduplicate) {
    Pipeline pipeline = runner.newPipeline();
    Collected<Verdict<Row>> collected = new Collected<>();
    pipeline
        .apply(Create.timestamped(clicks).withCoder(RowCoder.of(SCHEMA)))
        .apply("Deduplicate", deduplicate.verdicts())
        .apply("Collect", ParDo.of(collected));
    pipeline.run().waitUntilFinish();
    return collected.take();
  }

  /** Runs one batch and returns its verdicts. */
  static List<Verdict<Row>> run(
      Runner runner,
      List<TimestampedValue<Row>> clicks,
      DeduplicateWithinWatermark<Row> deduplicate) {
    return runTimestamped(runner, clicks, deduplicate).stream()
        .map(TimestampedValue::getValue)
        .toList();
  }
}
