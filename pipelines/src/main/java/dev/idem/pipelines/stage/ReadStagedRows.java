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
package dev.idem.pipelines.stage;

import dev.idem.io.checkpoint.Staging;
import dev.idem.io.file.RowFile;
import java.io.IOException;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.Row;

/** Reads the rows of files that the stage left. */
final class ReadStagedRows extends DoFn<String, Row> {
  private final Staging staging;
  private final Schema schema;

  ReadStagedRows(Staging staging, Schema schema) {
    this.staging = staging;
    this.schema = schema;
  }

  @ProcessElement
  public void read(@Element String file, OutputReceiver<Row> output) throws IOException {
    RowFile.read(staging.open(), file, schema, output::output);
  }
}
