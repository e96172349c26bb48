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
package dev.idem.io.jdbc;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.DatabaseServer;
import dev.idem.transforms.external.WriteIdempotently;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.MapElements;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TypeDescriptors;
import org.joda.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Rows of an unbounded input. */
class JdbcRowTargetTest {

  @ParameterizedTest
  @EnumSource
  void unboundedRowsEndAsTheirSequenceSaysAndBadOnesAreHandedOut(OnDatabase database) {
    DatabaseServer server = database.fresh();
    Writing.createTable(server);
    List<Row> log = new ArrayList<>();
    for (long version = 0; version < 5; version++) {
      log.addAll(Writing.rows(0, 40, version));
    }
    log.add(Writing.delete(7, 9));
    Row bad = Writing.row(100, 1, "x".repeat(41));
    log.add(bad);
    List<Row> shuffled = Writing.shuffled(log, 5);
    TestStream.Builder<Row> stream = TestStream.create(Writing.SCHEMA);
    for (int i = 0; i < shuffled.size(); i += 30) {
      List<Row> bundle = shuffled.subList(i, Math.min(shuffled.size(), i + 30));
      stream =
          stream.addElements(bundle.get(0), bundle.subList(1, bundle.size()).toArray(Row[]::new));
    }
    Pipeline pipeline = Pipeline.create(Writing.direct());

    WriteIdempotently.Result<Row> result =
        pipeline
            .apply(stream.advanceWatermarkToInfinity())
            .apply(
                WriteIdempotently.to(Writing.upsertNewer(server).asTarget(Writing.SCHEMA))
                    .named("app/t")
                    .keyedBy(row -> row.getInt64("id"), VarLongCoder.of())
                    .sequencedBy(row -> row.getInt64("version"), VarLongCoder.of())
                    .latestPerKey()
                    .withRetries(12, Duration.millis(1), Duration.millis(100)));
    PAssert.that(
            result
                .deadLetters()
                .apply(
                    MapElements.into(TypeDescriptors.longs())
                        .via(letter -> letter.record().getInt64("id"))))
        .containsInAnyOrder(100L);
    pipeline.run().waitUntilFinish();

    List<Row> expected = new ArrayList<>(Writing.rows(0, 40, 4));
    expected.removeIf(row -> row.getInt64("id") == 7);
    assertThat(Writing.held(server), equalTo(Writing.expected(expected)));
  }

  @ParameterizedTest
  @EnumSource(names = "H2")
  void onlyWritesThatCompareSequencesBearIt(OnDatabase database) {
    DatabaseServer server = database.fresh();

    var e =
        assertThrows(
            IllegalArgumentException.class, () -> Writing.upsert(server).asTarget(Writing.SCHEMA));

    assertThat(e.getMessage(), containsString("must compare a sequence"));
  }
}
