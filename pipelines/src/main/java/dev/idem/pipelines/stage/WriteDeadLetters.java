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

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.delta.file.DataFileWriter;
import dev.idem.transforms.external.DeadLetter;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.windowing.GlobalWindow;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Writes what a target refused for the dead-letter table, and emits the bundle's manifest. */
final class WriteDeadLetters extends DoFn<DeadLetter<Row>, String> {

  private final long batch;
  private final String applicationId;
  private final String target;
  private final StageOutput output;

  private transient @Nullable Manifest manifest;
  private transient @Nullable DataFileWriter writer;
  private transient @Nullable RowEncoding encoding;

  WriteDeadLetters(Plan plan, String target, StageOutput output) {
    this.batch = plan.batch();
    this.applicationId = plan.applicationId();
    this.target = target;
    this.output = output;
  }

  @StartBundle
  public void start() {
    manifest = new Manifest();
    encoding = RowEncoding.of(output.schema());
  }

  @ProcessElement
  public void write(@Element DeadLetter<Row> letter) throws IOException {
    Row row = RowWithOrigin.deadLetter(letter, target, batch, applicationId);
    Manifest.Written written = manifest.output(output.name());
    written.rows++;
    written.content = written.content.plus(encoding.fingerprint(row));
    manifest.count(Counts.REJECTED, 1);
    if (!output.held()) {
      if (writer == null) {
        writer = DataFileWriter.open(output.files());
      }
      writer.write(row);
    }
  }

  @FinishBundle
  public void finish(FinishBundleContext context) throws IOException {
    if (writer != null) {
      manifest.output(output.name()).files.addAll(writer.finish());
      writer = null;
    }
    context.output(manifest.toJson(), GlobalWindow.INSTANCE.maxTimestamp(), GlobalWindow.INSTANCE);
  }

  @Teardown
  public void abandon() throws IOException {
    if (writer != null) {
      writer.close();
    }
  }
}
