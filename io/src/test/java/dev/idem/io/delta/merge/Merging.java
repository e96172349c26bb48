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

import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.Tables;
import dev.idem.transforms.Runner;
import dev.idem.transforms.changes.ApplyChanges;
import dev.idem.transforms.changes.TableMerge;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;

/** A table that changes of an id with a value are merged into. */
final class Merging {

  static final Schema CHANGE =
      Schema.builder()
          .addNullableField("id", FieldType.INT64)
          .addNullableField("value", FieldType.STRING)
          .addNullableField("other", FieldType.INT64)
          .addNullableField("seq", FieldType.INT64)
          .addStringField("op")
          .build();

  static final Schema FOREIGN =
      Schema.builder()
          .addInt64Field("id")
          .addNullableField("value", FieldType.STRING)
          .addNullableField("other", FieldType.INT64)
          .build();

  final Path table;
  private final MergeChanges merge;
  private final Schema schema;

  private Merging(Path table, MergeChanges merge, Schema schema) {
    this.table = table;
    this.merge = merge;
    this.schema = schema;
  }

  static ApplyChanges rules() {
    return ApplyChanges.keys("id")
        .sequenceBy("seq")
        .applyAsDeleteWhen(row -> "delete".equals(row.getString("op")))
        .applyAsTruncateWhen(row -> "truncate".equals(row.getString("op")))
        .columns("id", "value", "other")
        .withShards(4);
  }

  static Merging into(Path table, ApplyChanges rules) {
    return into(table, rules, CHANGE);
  }

  /** Merges changes of a schema. */
  static Merging into(Path table, ApplyChanges rules, Schema schema) {
    return new Merging(
        table, DeltaLakeIO.mergeChanges("app").to(table.toString()).applying(rules), schema);
  }

  Merging with(MergeMode mode) {
    return with(own -> own.withMode(mode));
  }

  /** Returns the same merge with other settings. */
  Merging with(UnaryOperator<MergeChanges> settings) {
    return new Merging(table, settings.apply(merge), schema);
  }

  /** Returns the same merge as another application. */
  Merging by(String application) {
    return with(own -> own.by(application));
  }

  Merging at(Path other) {
    return new Merging(other, merge.to(other.toString()), schema);
  }

  MergeChanges transform() {
    return merge;
  }

  static Row upsert(long id, String value, Long other, long seq) {
    return Row.withSchema(CHANGE).addValues(id, value, other, seq, "upsert").build();
  }

  static Row upsert(long id, String value, long seq) {
    return upsert(id, value, null, seq);
  }

  static Row delete(long id, long seq) {
    return Row.withSchema(CHANGE).addValues(id, null, null, seq, "delete").build();
  }

  static Row truncate(long seq) {
    return Row.withSchema(CHANGE).addValues(null, null, null, seq, "truncate").build();
  }

  /** Merges a batch, and returns how that ended. */
  MergeOutcome run(long batch, List<Row> changes) {
    return run(Runner.DIRECT, batch, changes);
  }

  MergeOutcome run(Runner runner, long batch, List<Row> changes) {
    Pipeline pipeline = runner.newPipeline();
    MergeResult result =
        pipeline.apply(Create.of(changes).withRowSchema(schema)).apply(merge.withBatch(batch));
    Path file = saved();
    result.outcomes().apply(ParDo.of(new SaveOutcome(file.toString())));
    pipeline.run().waitUntilFinish();
    return Messages.read(read(file).get(0), MergeOutcome.class);
  }

  /** A batch that was merged, and not committed yet. */
  static final class Uncommitted {
    private final MergeSpec spec;
    private final List<String> steps;

    private Uncommitted(MergeSpec spec, List<String> steps) {
      this.spec = spec;
      this.steps = steps;
    }

    MergeOutcome commit() throws IOException {
      return new CommitMergeFn(spec).commit(steps);
    }

    /** Commits to the table beside and no more, as one does who is killed then. */
    void commitBeside() throws IOException {
      new CommitMergeFn(spec).commitBeside(new MergedBatch(spec, steps, Clock.systemUTC()));
    }
  }

  /** Returns what the steps of a batch have to know. */
  MergeSpec spec(long batch) {
    return merge.withBatch(batch).spec(TableMerge.of(merge.changes(), schema));
  }

  Uncommitted merge(long batch, List<Row> changes) {
    TableMerge given = TableMerge.of(merge.changes(), schema);
    MergeSpec spec = spec(batch);
    Path file = saved();
    Pipeline pipeline = Runner.DIRECT.newPipeline();
    pipeline
        .apply(Create.of(changes).withRowSchema(schema))
        .apply(new MergeSteps(given, spec))
        .get(MergeSteps.STEPS)
        .apply(ParDo.of(new SaveSteps(file.toString())));
    pipeline.run().waitUntilFinish();
    return new Uncommitted(spec, read(file));
  }

  /** Appends rows as somebody does who knows nothing of merges. */
  void append(Row... rows) throws IOException {
    Tables.append(table, FOREIGN, rows);
  }

  static Row foreign(long id, String value) {
    return Row.withSchema(FOREIGN).addValues(id, value, null).build();
  }

  /** Returns all rows, sorted, with the given columns; with all if none is given. */
  List<String> rows(String... columns) {
    return DeltaRows.read(table.toString()).select(columns).toList().stream()
        .map(row -> row.getValues().toString())
        .sorted()
        .toList();
  }

  /** Returns all columns of all that is kept beside the table but the time, sorted. */
  List<String> beside() {
    return DeltaRows.read(table + BesideTable.SUFFIX).toList().stream()
        .map(row -> row.getValues().subList(0, row.getFieldCount() - 1).toString())
        .sorted()
        .toList();
  }

  /** Returns the data files of the table and that beside it, deletion vectors included. */
  List<String> dataFiles() throws IOException {
    return files().stream()
        .filter(file -> !file.contains("_delta_log"))
        .filter(file -> file.endsWith(".parquet") || file.endsWith(".bin"))
        .toList();
  }

  long version() {
    return DeltaTable.at(table.toString(), Map.of()).state().orElseThrow().version();
  }

  /** Returns the names of all files below the table and that beside it. */
  List<String> files() throws IOException {
    List<String> files = new ArrayList<>();
    for (Path each : List.of(table, Path.of(table + "_changes"))) {
      if (Files.exists(each)) {
        try (Stream<Path> found = Files.walk(each)) {
          found.filter(Files::isRegularFile).map(Path::toString).forEach(files::add);
        }
      }
    }
    return files.stream().sorted().toList();
  }

  private Path saved() {
    try {
      return Files.createTempFile(table.getParent(), "saved", "");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> read(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class SaveSteps extends DoFn<KV<Integer, Iterable<String>>, Void> {
    private final String file;

    SaveSteps(String file) {
      this.file = file;
    }

    @ProcessElement
    public void save(@Element KV<Integer, Iterable<String>> steps) throws IOException {
      Files.write(Path.of(file), steps.getValue());
    }
  }

  private static final class SaveOutcome extends DoFn<MergeOutcome, Void> {
    private final String file;

    SaveOutcome(String file) {
      this.file = file;
    }

    @ProcessElement
    public void save(@Element MergeOutcome outcome) throws IOException {
      Files.writeString(Path.of(file), Messages.write((Object) outcome));
    }
  }
}
