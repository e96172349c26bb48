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

import dev.idem.io.delta.kernel.KernelScan;
import dev.idem.io.delta.kernel.KernelSnapshot;
import dev.idem.io.delta.merge.MergePlan.PlannedFile;
import dev.idem.io.delta.table.TableErrors;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;

/** Writes the files of a bin that rows leave anew without them. */
final class RewriteFn extends DoFn<KV<Integer, Iterable<String>>, KV<Integer, String>> {

  private static final long serialVersionUID = 1L;

  private final MergeSpec spec;

  RewriteFn(MergeSpec spec) {
    this.spec = spec;
  }

  @ProcessElement
  public void rewrite(
      @Element KV<Integer, Iterable<String>> bin, OutputReceiver<KV<Integer, String>> output)
      throws IOException {
    String name = null;
    Map<Integer, Positions> leaving = new TreeMap<>();
    for (String message : bin.getValue()) {
      Outcome.Leaving rows = Messages.read(message, Outcome.Leaving.class);
      name = rows.plan();
      leaving.computeIfAbsent(rows.file(), any -> new Positions()).addAll(rows.positions());
    }
    MergePlan plan = MergePlan.load(spec.stagingStorage(), name);
    KernelSnapshot snapshot = spec.rowTable(Clock.systemUTC()).load(plan.version()).orElseThrow();
    Map<String, Positions> handles = new LinkedHashMap<>();
    leaving.forEach((file, positions) -> handles.put(plan.files().get(file).handle(), positions));
    PlannedFile any = plan.files().get(leaving.keySet().iterator().next());
    try {
      Outcome.Rewritten rewritten =
          new Outcome.Rewritten(
              List.copyOf(leaving.keySet()),
              new FileRewrite(spec, snapshot)
                  .write(handles, KernelScan.partitionValues(any.handle())));
      output.output(KV.of(0, Messages.write(new Outcome(name, null, rewritten))));
    } catch (NoSuchFileException e) {
      throw TableErrors.vacuumed(spec.rows().tablePath(), plan.version(), e);
    }
  }
}
