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
import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/**
 * Finds the rows of wanted keys in files of one version of the table: by key and guard alone if
 * that suffices, and with all columns where a change is at the sequence of the row.
 */
final class RowFinder {

  private final TableMerge merge;
  private final Part whole;
  private final Part guard;

  /** Some columns of the table's rows, as far as the version has them. */
  private static final class Part {
    private final Schema rowSchema;
    private final KernelScan scan;
    private final RowReading reading;
    private final RowEncoding key;
    private final int[] fields;

    Part(TableMerge merge, KernelSnapshot snapshot, List<String> names) {
      this.rowSchema = merge.rowSchema();
      Map<String, DeltaColumn> columns = new HashMap<>();
      SchemaJson.read(snapshot.schemaJson()).forEach(c -> columns.put(c.name(), c));
      List<String> there = names.stream().filter(columns::containsKey).toList();
      Schema.Builder schema = Schema.builder();
      there.forEach(name -> schema.addField(rowSchema.getField(name)));
      Schema read = schema.build();
      this.scan = snapshot.scan(there);
      this.reading = RowReading.of(read, there.stream().map(columns::get).toList());
      this.key = RowEncoding.of(read, merge.keys());
      this.fields = there.stream().mapToInt(rowSchema::indexOf).toArray();
    }

    Fingerprint key(Row part) {
      return key.fingerprint(part);
    }

    /** Returns the row; what is not read of it is null. */
    Row row(Row part) {
      Object[] values = new Object[rowSchema.getFieldCount()];
      for (int i = 0; i < fields.length; i++) {
        values[fields[i]] = part.getValue(i);
      }
      return Row.withSchema(rowSchema).attachValues(Arrays.asList(values));
    }
  }

  RowFinder(TableMerge merge, KernelSnapshot snapshot) {
    this.merge = merge;
    this.whole = new Part(merge, snapshot, merge.rowSchema().getFieldNames());
    this.guard = merge.guardSuffices() ? new Part(merge, snapshot, merge.guardColumns()) : whole;
  }

  /** Which rows are wanted. */
  @FunctionalInterface
  interface Wanted {
    boolean row(Fingerprint key);

    /** Returns whether a change of a key that is wanted may be at the sequence of a row. */
    default boolean mayTie(Fingerprint key, int sequenceHash) {
      return true;
    }
  }

  /** Takes a row that is wanted. */
  interface Found {
    void row(Fingerprint key, long position, Row row);
  }

  /** Hands over the wanted rows of a file, in no order. */
  void find(String handle, Wanted wanted, Found found) throws IOException {
    Map<Long, Fingerprint> ties = new HashMap<>();
    guard.scan.read(
        handle,
        (position, values) -> {
          Row part = guard.reading.row(values);
          Fingerprint key = guard.key(part);
          if (wanted.row(key)) {
            Row row = guard.row(part);
            if (guard != whole && wanted.mayTie(key, merge.sequenceHashOfRow(row))) {
              ties.put(position, key);
            } else {
              found.row(key, position, row);
            }
          }
        });
    if (!ties.isEmpty()) {
      whole.scan.read(
          handle,
          (position, values) -> {
            Fingerprint key = ties.get(position);
            if (key != null) {
              found.row(key, position, whole.row(whole.reading.row(values)));
            }
          });
    }
  }
}
