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
package dev.idem.io.delta.merge;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;

import dev.idem.transforms.Runner;
import dev.idem.transforms.changes.ApplyChanges;
import dev.idem.transforms.changes.ArrivalOrders;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;

/** Merges events into tables in all orders they can arrive in, cut into batches in several ways. */
final class Arrivals {

  /** {@code run} tells arrival orders that are merged into one table apart. */
  static final Schema EVENT =
      Schema.builder()
          .addInt32Field("run")
          .addNullableField("id", FieldType.INT64)
          .addStringField("op")
          .addNullableField("seq", FieldType.INT64)
          .addNullableField("rank", FieldType.INT64)
          .addNullableField("value", FieldType.STRING)
          .addNullableField("other", FieldType.STRING)
          .addNullableField("at", FieldType.logicalType(new MicrosInstant()))
          .build();

  /** How the events of an order are cut into batches. */
  enum Cut {
    ONE_BATCH,
    TWO_BATCHES,
    ONE_EVENT_EACH
  }

  private static final int MOST_ORDERS = 120;

  private final Path directory;
  private final Runner runner;
  private final Random random;
  private int tables;

  Arrivals(Path directory, Runner runner) {
    this.directory = directory;
    this.runner = runner;
    long seed = new Random().nextLong();
    System.out.println("Arrivals: seed " + seed);
    this.random = new Random(seed);
  }

  static Row event(Long id, String op, Long seq, Long rank, String value) {
    return Row.withSchema(EVENT).addValues(0, id, op, seq, rank, value, null, null).build();
  }

  static Row upsert(long id, long seq, String value) {
    return event(id, "upsert", seq, 0L, value);
  }

  static Row upsert(long id, long seq, String value, String other) {
    return Row.fromRow(upsert(id, seq, value)).withFieldValue("other", other).build();
  }

  /** Returns an upsert with a time of its own. */
  static Row upsert(long id, long seq, String value, Instant at) {
    return Row.fromRow(upsert(id, seq, value)).withFieldValue("at", at).build();
  }

  static Row delete(long id, long seq) {
    return event(id, "delete", seq, 0L, null);
  }

  static ApplyChanges bySequence(String... columns) {
    return ApplyChanges.keys("run", "id")
        .sequenceBy(columns)
        .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
        .columns("run", "id", "value")
        .withShards(4);
  }

  static ApplyChanges history(String... columns) {
    return bySequence("seq").columns(columns).storedAsScdType2();
  }

  /** Returns a new table that events are merged into. */
  Merging newTable(ApplyChanges rules) {
    tables++;
    MergeMode mode = random.nextBoolean() ? MergeMode.MERGE_ON_READ : MergeMode.COPY_ON_WRITE;
    return Merging.into(directory.resolve("t" + tables), rules, EVENT).with(mode);
  }

  /**
   * Merges the events in all orders, or in {@value #MOST_ORDERS} of them, and requires the same
   * rows in the end, each time.
   *
   * @param columns the columns that are looked at, {@code run} not among them
   * @param expected the values of these, in one line for each row
   * @return what was done, by the way in which the events were cut
   */
  Map<Cut, MergeCounts> endAs(
      ApplyChanges rules, List<String> columns, List<Row> events, String... expected) {
    List<List<Row>> orders = orders(events);
    List<String> all = new ArrayList<>();
    for (int run = 0; run < orders.size(); run++) {
      for (String line : expected) {
        all.add("[" + run + ", " + line + "]");
      }
    }
    Collections.sort(all);
    List<String> looked = new ArrayList<>(columns);
    looked.add(0, "run");
    Map<Cut, MergeCounts> counts = new EnumMap<>(Cut.class);
    for (Cut cut : cuts()) {
      Merging table = newTable(rules);
      MergeCounts sum = MergeCounts.NONE;
      List<List<Row>> batches = cut(cut, orders);
      for (int batch = 0; batch < batches.size(); batch++) {
        sum = sum.plus(table.run(runner, batch, batches.get(batch)).counts());
      }
      assertThat(cut.name(), table.rows(looked.toArray(String[]::new)), equalTo(all));
      if (runner == Runner.DIRECT) {
        replay(table, batches.size() - 1, batches.get(batches.size() - 1));
      }
      counts.put(cut, sum);
    }
    return counts;
  }

  private static void replay(Merging table, int batch, List<Row> changes) {
    long version = table.version();
    assertThat(table.run(batch, changes).alreadyCommitted(), is(true));
    assertThat("replayed", table.version(), is(version));
  }

  /** Every pipeline of Spark takes its time. */
  private Set<Cut> cuts() {
    return runner == Runner.DIRECT
        ? EnumSet.of(Cut.ONE_BATCH, Cut.ONE_EVENT_EACH)
        : EnumSet.of(Cut.ONE_BATCH, Cut.TWO_BATCHES);
  }

  private List<List<Row>> orders(List<Row> events) {
    if (events.size() <= 5) {
      return ArrivalOrders.of(events.toArray(Row[]::new));
    }
    List<List<Row>> orders = new ArrayList<>();
    List<Row> order = new ArrayList<>(events);
    for (int i = 0; i < MOST_ORDERS; i++) {
      int run = i;
      orders.add(
          order.stream().map(row -> Row.fromRow(row).withFieldValue("run", run).build()).toList());
      Collections.shuffle(order, random);
    }
    return orders;
  }

  private List<List<Row>> cut(Cut cut, List<List<Row>> orders) {
    int batches =
        switch (cut) {
          case ONE_BATCH -> 1;
          case TWO_BATCHES -> 2;
          case ONE_EVENT_EACH -> orders.get(0).size();
        };
    List<List<Row>> all = new ArrayList<>();
    IntStream.range(0, batches).forEach(batch -> all.add(new ArrayList<>()));
    for (List<Row> order : orders) {
      int first = cut == Cut.TWO_BATCHES ? random.nextInt(order.size() + 1) : 1;
      for (int i = 0; i < order.size(); i++) {
        int batch = i;
        if (cut != Cut.ONE_EVENT_EACH) {
          batch = batches == 1 || i < first ? 0 : 1;
        }
        all.get(batch).add(order.get(i));
      }
    }
    return all;
  }
}
