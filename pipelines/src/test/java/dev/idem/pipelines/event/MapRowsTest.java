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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsInAnyOrder;

import dev.idem.pipelines.decode.Decoded.Reason;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestPipeline;
import org.apache.beam.sdk.testing.TestPipelineExtension;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(TestPipelineExtension.class)
class MapRowsTest {

  private static final Schema LONGS = Schema.builder().addInt64Field("n").build();
  private static final Schema TEXTS = Schema.builder().addStringField("text").build();

  private static Event number(long n) {
    return Event.of(Row.withSchema(LONGS).addValue(n).build());
  }

  @Test
  void rowsAreMappedOrLeftOutAndOtherEventsPass(TestPipeline pipeline) {
    PCollection<Event> events =
        pipeline.apply(
            Create.of(
                    number(1),
                    number(-1),
                    number(2).asDuplicate(),
                    number(3).asDeadLetter(Reason.LATE, null, "rule"),
                    number(4).filtered())
                .withCoder(EventCoder.of(LONGS)));

    PCollection<Event> mapped =
        events.apply(
            MapRows.into(TEXTS)
                .via(
                    row ->
                        row.getInt64("n") < 0
                            ? null
                            : Row.withSchema(TEXTS).addValue("n" + row.getInt64("n")).build()));

    PAssert.that(mapped)
        .satisfies(
            all -> {
              List<String> seen = new ArrayList<>();
              all.forEach(
                  event ->
                      seen.add(
                          event.fate()
                              + (event.row() == null ? "" : " " + event.row().getString("text"))));
              assertThat(
                  seen,
                  containsInAnyOrder("ROW n1", "FILTERED", "DUPLICATE", "DEAD_LETTER", "FILTERED"));
              return null;
            });
    pipeline.run();
  }
}
