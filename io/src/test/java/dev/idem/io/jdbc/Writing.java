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

import dev.idem.testing.DatabaseServer;
import dev.idem.transforms.external.DeadLetter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.beam.runners.direct.DirectOptions;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;

/** Pipelines that write to a database, and what they put out. */
final class Writing {

  /** The rows of most tests: a key, a version, a text, and whether it is a delete. */
  static final Schema SCHEMA =
      Schema.builder()
          .addNullableField("id", FieldType.INT64)
          .addNullableField("version", FieldType.INT64)
          .addNullableField("text", FieldType.STRING)
          .addStringField("op")
          .build();

  private static final Map<String, List<Object>> GATHERED = new ConcurrentHashMap<>();

  private Writing() {}

  static Row row(long id, long version, String text) {
    return Row.withSchema(SCHEMA).addValues(id, version, text, "u").build();
  }

  static Row delete(long id, long version) {
    return Row.withSchema(SCHEMA).addValues(id, version, null, "d").build();
  }

  static List<Row> rows(int from, int to, long version) {
    List<Row> rows = new ArrayList<>();
    for (int id = from; id < to; id++) {
      rows.add(row(id, version, "text " + id + " " + version));
    }
    return rows;
  }

  /** The table of these rows, with a primary key. */
  static void createTable(DatabaseServer server) {
    server.execute("CREATE TABLE t (id BIGINT PRIMARY KEY, version BIGINT, text VARCHAR(40))");
  }

  /** The same without one. */
  static void createLog(DatabaseServer server) {
    server.execute("CREATE TABLE t (id BIGINT, version BIGINT, text VARCHAR(40), op VARCHAR(1))");
  }

  /** Returns the table's rows by id, as {@code version text}; fails if an id is there twice. */
  static Map<Long, String> held(DatabaseServer server) {
    Map<Long, String> held = new HashMap<>();
    for (List<Object> row : server.query("SELECT id, version, text FROM t")) {
      String before = held.put(((Number) row.get(0)).longValue(), row.get(1) + " " + row.get(2));
      if (before != null) {
        throw new AssertionError("Row " + row.get(0) + " is there twice.");
      }
    }
    return held;
  }

  static Map<Long, String> expected(List<Row> rows) {
    Map<Long, String> expected = new HashMap<>();
    for (Row row : rows) {
      expected.put(row.getInt64("id"), row.getInt64("version") + " " + row.getString("text"));
    }
    return expected;
  }

  static WriteJdbcRows upsertNewer(DatabaseServer server) {
    return quick(JdbcUpsertIO.upsertNewer(List.of("id"), "version"), server)
        .deletingWhen("op", "d");
  }

  static WriteJdbcRows upsert(DatabaseServer server) {
    return quick(JdbcUpsertIO.upsert("id"), server).deletingWhen("op", "d");
  }

  static WriteJdbcRows append(DatabaseServer server) {
    return quick(JdbcUpsertIO.appendOncePerBatch("app"), server);
  }

  private static WriteJdbcRows quick(WriteJdbcRows write, DatabaseServer server) {
    return write
        .by("app")
        .to("t")
        .withDatabase(OnDatabase.of(server))
        .withBatch(0)
        .withShards(4)
        .withRetries(12, org.joda.time.Duration.millis(1), org.joda.time.Duration.millis(100));
  }

  /**
   * What a run put out.
   *
   * @param outcome of the batch
   */
  record Outputs(JdbcWriteOutcome outcome, List<DeadLetter<Row>> deadLetters) {}

  static PipelineOptions direct() {
    DirectOptions options = PipelineOptionsFactory.as(DirectOptions.class);
    options.setRunner(DirectRunner.class);
    options.setTargetParallelism(2);
    return options;
  }

  /** A runner with one thread, so that shards are written one after another. */
  static PipelineOptions oneAtATime() {
    PipelineOptions options = direct();
    options.as(DirectOptions.class).setTargetParallelism(1);
    return options;
  }

  /** Runs a pipeline that writes rows. */
  static Outputs run(List<Row> rows, WriteJdbcRows write) {
    return run(direct(), rows, write);
  }

  static Outputs run(PipelineOptions options, List<Row> rows, WriteJdbcRows write) {
    Schema schema = rows.isEmpty() ? SCHEMA : rows.get(0).getSchema();
    Pipeline pipeline = Pipeline.create(options);
    JdbcWriteResult result =
        pipeline.apply(Create.of(rows).withRowSchema(schema)).apply("Write", write);
    String outcomes = gather(result.outcomes());
    String letters = gather(result.deadLetters());
    pipeline.run().waitUntilFinish();
    List<DeadLetter<Row>> dead = new ArrayList<>();
    for (Object letter : GATHERED.remove(letters)) {
      @SuppressWarnings("unchecked")
      DeadLetter<Row> each = (DeadLetter<Row>) letter;
      dead.add(each);
    }
    List<Object> ended = GATHERED.remove(outcomes);
    if (ended.size() != 1) {
      throw new AssertionError("There must be one outcome, but were: " + ended);
    }
    return new Outputs((JdbcWriteOutcome) ended.get(0), dead);
  }

  private static <T> String gather(PCollection<T> output) {
    String id = UUID.randomUUID().toString();
    GATHERED.put(id, Collections.synchronizedList(new ArrayList<>()));
    output.apply("Gather" + output.getName() + id.substring(0, 4), ParDo.of(new Gather<>(id)));
    return id;
  }

  private static final class Gather<T> extends DoFn<T, Void> {
    private final String id;

    Gather(String id) {
      this.id = id;
    }

    @ProcessElement
    public void gather(@Element T element) {
      GATHERED.get(id).add(element);
    }
  }

  static <T> List<T> shuffled(List<T> list, long seed) {
    List<T> copy = new ArrayList<>(list);
    Collections.shuffle(copy, new Random(seed));
    return copy;
  }
}
