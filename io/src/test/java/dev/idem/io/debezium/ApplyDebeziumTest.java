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
import static org.hamcrest.Matchers.equalTo;

import dev.idem.io.debezium.DecodedEvent.Changes;
import dev.idem.io.debezium.Samples.Sample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestPipeline;
import org.apache.beam.sdk.testing.TestPipelineExtension;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The changes of events, applied. */
@ExtendWith(TestPipelineExtension.class)
class ApplyDebeziumTest {

  private static final Schema COLUMNS =
      Schema.builder()
          .addInt64Field("id")
          .addNullableStringField("name")
          .addNullableStringField("large")
          .build();

  private static final DebeziumTable TABLE =
      new DebeziumTable(COLUMNS, List.of("id"), "postgresql");

  private static final String NOT_SENT = "'__debezium_unavailable_value'";

  private static Sample event(String op, String before, String after, String lastCommit, long lsn) {
    String source =
        "'source':{'connector':'postgresql','name':'shop','db':'d','ts_ms':9,'sequence':'[%s,#%d#]','lsn':%d}"
            .formatted(lastCommit == null ? "null" : "#" + lastCommit + "#", lsn, lsn);
    return Sample.of(
        null,
        "{'op':'%s','before':%s,'after':%s,%s}"
            .formatted(op, before, after, source)
            .replace("#", "\\\"")
            .replace('\'', '"'));
  }

  private static String row(long id, String name, String large) {
    return "{'id':%d,'name':%s,'large':%s}".formatted(id, name, large);
  }

  private static PCollection<Row> apply(TestPipeline pipeline, List<Sample> events, long seed) {
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE);
    List<Row> rows = new ArrayList<>();
    for (Sample event : events) {
      rows.addAll(((Changes) decoder.decode(event.key(), event.value())).rows());
    }
    Collections.shuffle(rows, new Random(seed));
    return pipeline
        .apply("Create" + seed, Create.of(rows).withRowSchema(decoder.schema()))
        .apply("Apply" + seed, decoder.changes())
        .rows();
  }

  private static void assertRows(PCollection<Row> rows, String... expected) {
    PAssert.that(rows)
        .satisfies(
            found -> {
              List<String> shown = new ArrayList<>();
              found.forEach(
                  row -> {
                    Map<String, Object> columns = new TreeMap<>(Samples.columns(row));
                    columns.keySet().removeIf(name -> name.startsWith("_idem_"));
                    shown.add(columns.toString());
                  });
              Collections.sort(shown);
              assertThat(shown, equalTo(List.of(expected)));
              return null;
            });
  }

  @Test
  void changesComeOutInAnyOrder(TestPipeline pipeline) {
    List<Sample> events =
        List.of(
            event("r", "null", row(1, "'a'", "'L1'"), null, 150),
            event("r", "null", row(2, "'b'", "'L2'"), null, 150),
            // Open at the snapshot: its position is lower.
            event("u", "null", row(1, "'a2'", NOT_SENT), null, 100),
            event("c", "null", row(3, "'c'", "'L3'"), "200", 210),
            event("u", row(3, "'c'", "'L3'"), row(4, "'c'", "'L3'"), "220", 230),
            event("u", "null", row(4, "null", NOT_SENT), "240", 250),
            event("d", row(2, "null", "null"), "null", "260", 270),
            event("c", "null", row(5, "'e'", "null"), "280", 290));

    for (long seed = 0; seed < 5; seed++) {
      assertRows(
          apply(pipeline, events, seed),
          "{id=1, large=L1, name=a2}",
          "{id=4, large=L3}",
          "{id=5, name=e}");
    }

    pipeline.run();
  }

  @Test
  void aTruncateEmptiesTheTableAndWhatComesAfterStays(TestPipeline pipeline) {
    List<Sample> events =
        List.of(
            event("r", "null", row(1, "'a'", "'L1'"), null, 150),
            event("c", "null", row(2, "'b'", "'L2'"), "160", 170),
            event("t", "null", "null", "180", 190),
            event("c", "null", row(3, "'c'", "'L3'"), "200", 210));

    for (long seed = 0; seed < 3; seed++) {
      assertRows(apply(pipeline, events, seed), "{id=3, large=L3, name=c}");
    }

    pipeline.run();
  }

  @Test
  void historiesTakeChangesWithoutTruncates(TestPipeline pipeline) {
    DebeziumDecoder decoder = DebeziumDecoder.json(TABLE).refuseTruncates();
    List<Row> rows = new ArrayList<>();
    for (Sample event :
        List.of(
            event("r", "null", row(1, "'a'", "'L1'"), null, 150),
            event("u", "null", row(1, "'b'", NOT_SENT), "160", 170),
            event("d", row(1, "null", "null"), "null", "180", 190))) {
      rows.addAll(((Changes) decoder.decode(event.key(), event.value())).rows());
    }

    PCollection<Row> versions =
        pipeline
            .apply(Create.of(rows).withRowSchema(decoder.schema()))
            .apply(decoder.changes().storedAsScdType2())
            .rows();

    assertRows(
        versions,
        "{__END_AT={__commit_lsn=160, __lsn=170}, __START_AT={__commit_lsn=0, __lsn=0}, id=1,"
            + " large=L1, name=a}",
        "{__END_AT={__commit_lsn=180, __lsn=190}, __START_AT={__commit_lsn=160, __lsn=170}, id=1,"
            + " large=L1, name=b}");
    pipeline.run();
  }
}
