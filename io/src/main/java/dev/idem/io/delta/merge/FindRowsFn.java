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

import dev.idem.io.delta.table.TableErrors;
import dev.idem.transforms.changes.TableMerge;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.time.Clock;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.KV;

/** Finds the rows of the batch's keys in a file, and the changes beside it. */
final class FindRowsFn extends DoFn<ReadTask, KV<Integer, HeldRow>> {

  private static final long serialVersionUID = 1L;

  private final MergeSpec spec;
  private transient Opened opened;

  FindRowsFn(MergeSpec spec) {
    this.spec = spec;
  }

  /** What all files of a plan are read by. */
  private static final class Opened {
    private final String name;
    private final MergePlan plan;
    private final KeyFilter keys;
    private final RowFinder rows;
    private final BesideTable.Reader beside;

    Opened(MergeSpec spec, String name) throws IOException {
      this.name = name;
      this.plan = MergePlan.load(spec.stagingStorage(), name);
      this.keys = new StagedChanges(spec).keys(plan.shards());
      this.rows =
          plan.version() < 0
              ? null
              : new RowFinder(
                  spec.merge(),
                  spec.rowTable(Clock.systemUTC()).load(plan.version()).orElseThrow());
      this.beside =
          plan.besideVersion() < 0
              ? null
              : new BesideTable(spec)
                  .reader(
                      spec.besideTable(Clock.systemUTC()).load(plan.besideVersion()).orElseThrow());
    }
  }

  @ProcessElement
  public void find(@Element ReadTask task, OutputReceiver<KV<Integer, HeldRow>> output)
      throws IOException {
    if (opened == null || !opened.name.equals(task.plan())) {
      opened = new Opened(spec, task.plan());
    }
    try {
      if (task.source() == HeldRow.Source.TABLE) {
        findRows(task.file(), output);
      } else {
        findBeside(task.file(), output);
      }
    } catch (NoSuchFileException e) {
      throw TableErrors.vacuumed(spec.rows().tablePath(), opened.plan.version(), e);
    }
  }

  private void findRows(int file, OutputReceiver<KV<Integer, HeldRow>> output) throws IOException {
    boolean all = opened.plan.truncates();
    opened.rows.find(
        opened.plan.files().get(file).handle(),
        new RowFinder.Wanted() {
          @Override
          public boolean row(Fingerprint key) {
            return all || opened.keys.find(key) >= 0;
          }

          @Override
          public boolean mayTie(Fingerprint key, int sequenceHash) {
            int found = opened.keys.find(key);
            return found >= 0 && opened.keys.mayBeAt(found, sequenceHash);
          }
        },
        (key, position, row) ->
            emit(key, HeldRow.of(HeldRow.Source.TABLE, file, position, row), output));
  }

  private void findBeside(int file, OutputReceiver<KV<Integer, HeldRow>> output)
      throws IOException {
    TableMerge merge = spec.merge();
    opened.beside.read(
        opened.plan.beside().get(file),
        (position, change) -> {
          Fingerprint key = merge.keyOfBeside(change);
          if (!merge.isTruncate(change) && opened.keys.find(key) >= 0) {
            emit(key, HeldRow.of(HeldRow.Source.BESIDE, file, position, change), output);
          }
        });
  }

  private void emit(Fingerprint key, HeldRow row, OutputReceiver<KV<Integer, HeldRow>> output) {
    output.output(KV.of(opened.plan.group(key.shard(spec.shards())), row));
  }
}
