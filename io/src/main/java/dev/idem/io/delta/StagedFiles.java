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

import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.RowBinding;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.io.delta.schema.SchemaJson;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.transforms.fingerprint.ContentSum;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.coders.IterableCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.Row;

/** Writes rows into files, a bundle at a time, and brings their manifests together in one group. */
final class StagedFiles
    extends PTransform<PCollection<Row>, PCollection<KV<Integer, Iterable<String>>>> {

  private static final long serialVersionUID = 1L;

  private final DataFileSpec spec;

  StagedFiles(DataFileSpec spec) {
    this.spec = spec;
  }

  /** Checks that the input is one batch. */
  static void requireBatch(PCollection<Row> rows) {
    if (rows.isBounded() != PCollection.IsBounded.BOUNDED) {
      throw new IllegalArgumentException(
          "Input of a write to Delta must be bounded, but was: "
              + rows.isBounded()
              + ". Run the pipeline in batches.");
    }
    if (!(rows.getWindowingStrategy().getWindowFn() instanceof GlobalWindows)) {
      throw new IllegalArgumentException(
          "Bounded input of a write to Delta must be in the global window, but was: "
              + rows.getWindowingStrategy().getWindowFn().getClass().getSimpleName()
              + ". Apply Window.into(new GlobalWindows()) first.");
    }
  }

  /** Checks the rows and what was configured, and returns how to write their files. */
  static DataFileSpec spec(
      PCollection<Row> rows,
      String path,
      String tableSchema,
      List<String> partitionColumns,
      long targetFileSize,
      Map<String, String> hadoopConfiguration,
      boolean truncateNanoseconds,
      SchemaEvolution evolution) {
    if (path == null) {
      throw new IllegalArgumentException(
          "Write to Delta must have a table, but was: none. Call to(path).");
    }
    if (!rows.hasSchema()) {
      throw new IllegalArgumentException(
          "Input of a write to Delta must have a schema, but was: none. Call setRowSchema.");
    }
    Schema schema = rows.getSchema();
    String json =
        tableSchema == null ? DeltaSchemas.toJson(schema, truncateNanoseconds) : tableSchema;
    RowBinding.of(schema, SchemaJson.read(json), "", path, truncateNanoseconds);
    DataFileSpec spec =
        DeltaTable.at(path, hadoopConfiguration)
            .evolving(evolution)
            .fitted(
                new DataFileSpec(
                    path,
                    json,
                    partitionColumns,
                    targetFileSize,
                    hadoopConfiguration,
                    truncateNanoseconds));
    spec.schema().requireNames();
    return spec;
  }

  @Override
  public PCollection<KV<Integer, Iterable<String>>> expand(PCollection<Row> rows) {
    KvCoder<Integer, String> coder = KvCoder.of(VarIntCoder.of(), StringUtf8Coder.of());
    PCollection<KV<Integer, String>> written =
        rows.apply("WriteFiles", ParDo.of(new WriteFilesFn(spec, rows.getSchema())))
            .setCoder(coder);
    // Without it a batch without rows would have no group, and nobody would record it.
    PCollection<KV<Integer, String>> empty =
        rows.getPipeline()
            .apply(
                "EmptyManifest",
                Create.of(KV.of(0, new Manifest(List.of(), ContentSum.EMPTY).toJson()))
                    .withCoder(coder));
    return PCollectionList.of(written)
        .and(empty)
        .apply("AllManifests", Flatten.pCollections())
        .apply("OneGroup", GroupByKey.create())
        .setCoder(KvCoder.of(VarIntCoder.of(), IterableCoder.of(StringUtf8Coder.of())));
  }
}
