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

import dev.idem.io.delta.file.RowReading;
import dev.idem.io.delta.kernel.KernelFile;
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.transforms.changes.TableMerge;
import java.io.IOException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;

/**
 * The table beside one that is merged into, {@code <table>_changes}: the changes that its rows do
 * not tell of, with the batch that they came in and when that was committed.
 */
final class BesideTable {

  static final String SUFFIX = "_changes";

  private static final String SINK = "_idem_sink";
  private static final String BATCH = "_idem_batch";
  private static final String COMMITTED = "_idem_committed_at";

  private final MergeSpec spec;
  private final Schema changes;
  private final Schema schema;

  BesideTable(MergeSpec spec) {
    this.spec = spec;
    this.changes = spec.merge().besideSchema();
    this.schema = schema(spec.merge());
  }

  /** Returns the schema of the table's rows. */
  static Schema schema(TableMerge merge) {
    return Schema.builder()
        .addFields(merge.besideSchema().getFields())
        .addStringField(SINK)
        .addInt64Field(BATCH)
        .addField(COMMITTED, FieldType.logicalType(new MicrosInstant()))
        .build();
  }

  static String deltaSchema(TableMerge merge) {
    return DeltaSchemas.toJson(schema(merge));
  }

  /** Returns the row of a change of this batch. */
  Row row(Row change, Instant now) {
    List<Object> values = new ArrayList<>(change.getValues());
    values.add(spec.sink());
    values.add(spec.batch());
    values.add(now);
    return Row.withSchema(schema).attachValues(values);
  }

  /** Returns whether a row is of this batch. */
  boolean isOwn(Row row) {
    return row.getString(SINK).equals(spec.sink()) && row.getInt64(BATCH) == spec.batch();
  }

  /** Returns the change that a row keeps. */
  Row change(Row row) {
    return Row.withSchema(changes)
        .attachValues(row.getValues().subList(0, changes.getFieldCount()));
  }

  /** Returns when a row was committed, or shortly before. */
  static Instant committed(Row row) {
    return row.getLogicalTypeValue(COMMITTED, Instant.class);
  }

  /** Returns until when all rows of a file were committed, if its statistics say so. */
  static Optional<Instant> committed(KernelFile file) {
    // Statistics of times are cut to milliseconds.
    return Messages.maximum(file.stats(), COMMITTED)
        .map(time -> OffsetDateTime.parse(time).toInstant().plusMillis(1));
  }

  /** Returns whether a file may have rows without a key: truncates, and what is forgotten. */
  boolean mayLackKeys(KernelFile file) {
    String key = MergeSpec.columns(changes, spec.beside()).get(0).physicalName();
    return Messages.nullCount(file.stats(), key) != 0;
  }

  /** Opens a version for reading. */
  Reader reader(KernelSnapshot snapshot) {
    return new Reader(snapshot);
  }

  /** Reads one version, in which a replay finds the changes of its own batch. */
  final class Reader {
    private final KernelScan scan;
    private final RowReading reading;

    private Reader(KernelSnapshot snapshot) {
      List<DeltaColumn> columns = MergeSpec.columns(schema, spec.beside());
      this.scan = snapshot.scan(columns.stream().map(DeltaColumn::name).toList());
      this.reading = RowReading.of(schema, columns);
    }

    String handle(KernelFile file) {
      return scan.handle(file);
    }

    /** Hands over the changes of a file but for those of this batch. */
    void read(String handle, BiConsumer<Long, Row> found) throws IOException {
      readRows(
          handle,
          (position, row) -> {
            if (!isOwn(row)) {
              found.accept(position, change(row));
            }
          });
    }

    /** Hands over all rows of a file. */
    void readRows(String handle, BiConsumer<Long, Row> found) throws IOException {
      scan.read(handle, (position, values) -> found.accept(position, reading.row(values)));
    }
  }
}
