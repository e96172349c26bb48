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
package dev.idem.io.delta.changes;

import dev.idem.io.delta.table.TableVersion;
import org.apache.beam.sdk.transforms.DoFn;

/** Emits the files to read for the changes of versions, for {@link ReadChangesFn}. */
final class ListChangesFn extends DoFn<Long, ChangedFile> {

  private static final long serialVersionUID = 1L;

  private final TableVersion last;
  private final long first;
  private final boolean whole;
  private final OnChanges onChanges;

  ListChangesFn(TableVersion last, long first, boolean whole, OnChanges onChanges) {
    this.last = last;
    this.first = first;
    this.whole = whole;
    this.onChanges = onChanges;
  }

  @ProcessElement
  public void list(OutputReceiver<ChangedFile> output) {
    TableChanges changes = TableChanges.of(last.path(), onChanges, last.hadoopConfiguration());
    if (whole) {
      changes.forEachHeld(last.version(), output::output);
    } else {
      changes.forEachChanged(first, last.version(), output::output);
    }
  }
}
