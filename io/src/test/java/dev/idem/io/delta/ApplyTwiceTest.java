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
package dev.idem.io.delta;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import dev.idem.io.delta.file.PartitionPredicate;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.Tables;
import dev.idem.testing.Covers;
import dev.idem.testing.RunnerUnderTest;
import dev.idem.transforms.changes.ApplyChanges;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a batch does when it is applied a second time: nothing, whatever the sink and the rows. */
class ApplyTwiceTest {

  private static final long SEED = 20_261_130;
  private static final int BATCHES = 6;
  private static final String JSON = Tables.schema("part integer", "n long");
  private static final Schema ROWS = DeltaSchemas.parse(JSON);

  @TempDir Path directory;

  enum Sink {
    APPENDS {
      @Override
      PTransform<PCollection<Row>, ?> of(String table, int part, long batch) {
        return write(table).withBatch(batch);
      }
    },
    OVERWRITES {
      @Override
      PTransform<PCollection<Row>, ?> of(String table, int part, long batch) {
        return write(table).overwriting(PartitionPredicate.in("part", part)).withBatch(batch);
      }
    },
    MERGES {
      @Override
      PTransform<PCollection<Row>, ?> of(String table, int part, long batch) {
        return DeltaLakeIO.mergeChanges("twice")
            .to(table)
            .applying(ApplyChanges.keys("part", "n").sequenceBy("n").withShards(2))
            .withPartitionColumns("part")
            .withBatch(batch);
      }
    };

    abstract PTransform<PCollection<Row>, ?> of(String table, int part, long batch);

    private static WriteExactlyOnce write(String table) {
      return DeltaLakeIO.writeExactlyOnce("twice").to(table).withPartitionColumns("part");
    }
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(56)
  void applyingABatchTwiceIsApplyingItOnce(Sink sink) {
    System.out.println("ApplyTwiceTest: seed " + SEED);
    Random random = new Random(SEED);
    List<List<Row>> batches = new ArrayList<>();
    List<Integer> parts = new ArrayList<>();
    TreeMap<Integer, List<Long>> expected = new TreeMap<>();
    for (int batch = 0; batch < BATCHES; batch++) {
      int part = random.nextInt(3);
      List<Row> rows = new ArrayList<>();
      List<Long> numbers = new ArrayList<>();
      for (int i = random.nextInt(20); i > 0; i--) {
        long n = random.nextInt(5);
        numbers.add(n);
        rows.add(Row.withSchema(ROWS).addValues(part, n).build());
      }
      batches.add(rows);
      parts.add(part);
      if (sink == Sink.OVERWRITES) {
        expected.remove(part);
      }
      List<Long> held = expected.computeIfAbsent(part, none -> new ArrayList<>());
      if (sink == Sink.MERGES) {
        numbers.removeAll(held);
      }
      held.addAll(sink == Sink.MERGES ? Set.copyOf(numbers) : numbers);

      apply(sink, part, batch, rows);
      assertHolds(expected);
      long version = version();
      int earlier = random.nextInt(batch + 1);
      List<Row> again = new ArrayList<>(batches.get(earlier));
      Collections.shuffle(again, random);
      apply(sink, part, batch, rows);
      apply(sink, parts.get(earlier), earlier, again);

      assertHolds(expected);
      assertThat(version(), is(version));
    }
  }

  private void apply(Sink sink, int part, int batch, List<Row> rows) {
    Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
    pipeline
        .apply(Create.of(rows).withRowSchema(ROWS))
        .apply(sink.of(directory.toString(), part, batch));
    pipeline.run().waitUntilFinish();
  }

  private long version() {
    return Tables.table(directory).state().orElseThrow().version();
  }

  private void assertHolds(Map<Integer, List<Long>> expected) {
    List<String> all = new ArrayList<>();
    expected.forEach((part, numbers) -> numbers.forEach(n -> all.add(part + ":" + n)));
    assertThat(
        DeltaRows.read(directory.toString()).toList().stream()
            .map(row -> row.getValue("part") + ":" + row.getValue("n"))
            .sorted()
            .toList(),
        is(all.stream().sorted().toList()));
  }
}
