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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.testing.Covers.Row;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A job that writes two tables is halted after each commit of one batch. */
class TwoTablesIT {

  @TempDir Path directory;

  private Outcome run(EventJob events, String... more) {
    return Forked.main(
        FlaggedJob.class.getName(),
        Stream.concat(
                Stream.of(
                    events.broker.bootstrapServers(),
                    events.topic,
                    directory.toString(),
                    "--checkpoint=" + directory.resolve("checkpoint")),
                Stream.of(more))
            .toList());
  }

  /** Returns the last batch that a table holds, -1 for none. */
  private long held(String table, String sink) {
    return DeltaTable.at(directory.resolve(table).toString(), Map.of())
        .record("flagged/" + sink)
        .map(DeltaRecord::batch)
        .orElse(-1L);
  }

  private List<Long> held() {
    return List.of(
        held("table_memory/flagged", "memory"),
        held("table_dead_letter", "dead-letters"),
        held("copy", "copy"),
        held("table", "orders"));
  }

  @Test
  @Row(38)
  void crashBetweenTwoTablesLeavesTheBatchOnceInBoth() {
    EventJob events = EventJob.in(directory);
    events.send(0, 10);
    run(events).done();
    events.send(10, 20);

    run(events, "--crashAt=between-targets:1").exits(86);
    assertThat(held(), is(List.of(1L, 0L, 0L, 0L)));
    run(events, "--crashAt=between-targets:1").exits(86);
    assertThat(held(), is(List.of(1L, 1L, 0L, 0L)));
    run(events, "--crashAt=between-targets:1").exits(86);
    assertThat(held(), is(List.of(1L, 1L, 1L, 0L)));
    assertThat(EventJob.rows(directory.resolve("copy")), is(EventJob.events(0, 20)));
    assertThat(EventJob.rows(directory.resolve("table")), is(EventJob.events(0, 10)));
    run(events).done();

    assertThat(held(), is(List.of(1L, 1L, 1L, 1L)));
    assertThat(EventJob.rows(directory.resolve("copy")), is(EventJob.events(0, 20)));
    assertThat(EventJob.rows(directory.resolve("table")), is(EventJob.events(0, 20)));
  }
}
