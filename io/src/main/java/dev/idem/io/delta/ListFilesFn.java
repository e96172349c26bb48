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

import dev.idem.io.delta.file.PartitionFilter;
import dev.idem.io.delta.table.TableVersion;
import org.apache.beam.sdk.transforms.DoFn;

/** Emits the files of a version that hold wanted rows, as handles for {@link ReadFilesFn}. */
final class ListFilesFn extends DoFn<Long, String> {

  private static final long serialVersionUID = 1L;

  private final TableVersion version;
  private final PartitionFilter filter;

  ListFilesFn(TableVersion version, PartitionFilter filter) {
    this.version = version;
    this.filter = filter;
  }

  @ProcessElement
  public void list(OutputReceiver<String> output) {
    version.scan().handles(file -> filter.accepts(file.partitionValues())).forEach(output::output);
  }
}
