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

import dev.idem.io.delta.file.DataFile;
import dev.idem.io.delta.file.DataFileSpec;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.transforms.fingerprint.ContentSum;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.BoundedWindow;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.Row;

/** Writes the rows of a bundle and emits one manifest of its files. */
final class WriteFilesFn extends DoFn<Row, KV<Integer, String>> {

  private static final long serialVersionUID = 1L;

  private final DataFileSpec spec;
  private final RowEncoding encoding;
  private transient DataFileWriter writer;
  private transient ContentSum content;

  WriteFilesFn(DataFileSpec spec, Schema schema) {
    this.spec = spec;
    this.encoding = RowEncoding.of(schema);
  }

  @StartBundle
  public void start() {
    writer = DataFileWriter.open(spec);
    content = ContentSum.EMPTY;
  }

  @ProcessElement
  public void write(@Element Row row) throws IOException {
    writer.write(row);
    content = content.plus(encoding.fingerprint(row));
  }

  @FinishBundle
  public void finish(FinishBundleContext context) throws IOException {
    List<DataFile> files = writer.finish();
    writer = null;
    if (!files.isEmpty()) {
      context.output(
          KV.of(0, new Manifest(files, content).toJson()),
          BoundedWindow.TIMESTAMP_MIN_VALUE,
          GlobalWindow.INSTANCE);
    }
  }

  @Teardown
  public void teardown() throws IOException {
    if (writer != null) {
      writer.close();
      writer = null;
    }
  }
}
