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

import dev.idem.transforms.changes.TableMerge;
import java.io.IOException;
import java.io.Serial;
import java.io.Serializable;
import java.time.Clock;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;

/** The merge of one batch by workers, which a driver commits. */
@Internal
public final class BatchMerge implements Serializable {

  @Serial private static final long serialVersionUID = 1;

  private final TableMerge given;
  private final MergeSpec spec;

  private BatchMerge(TableMerge given, MergeSpec spec) {
    this.given = given;
    this.spec = spec;
  }

  /**
   * Returns the merge of a batch.
   *
   * @param merge what is merged, and where
   * @param changes the schema of the changes
   * @param location where what only the merge needs is staged
   * @param directory the directory for it there
   * @param prefix what the names of its files begin with
   */
  public static BatchMerge of(
      MergeChanges merge, Schema changes, String location, String directory, String prefix) {
    TableMerge given = TableMerge.of(merge.changes(), changes);
    return new BatchMerge(
        given, merge.spec(given, new MergeSpec.Staging(location, directory, prefix)));
  }

  /** Returns what the changes come to. */
  public TableMerge changes() {
    return given;
  }

  /** Returns what workers do with the changes, none of which is invalid. */
  public PTransform<PCollection<Row>, PCollection<KV<Integer, Iterable<String>>>> steps() {
    return new Steps(given, spec);
  }

  /**
   * Takes up what workers did.
   *
   * @param steps what they said of it
   */
  public MergedBatch merged(Iterable<String> steps, Clock clock) throws IOException {
    return new MergedBatch(spec, steps, clock);
  }

  private static final class Steps
      extends PTransform<PCollection<Row>, PCollection<KV<Integer, Iterable<String>>>> {
    private final transient TableMerge given;
    private final transient MergeSpec spec;

    Steps(TableMerge given, MergeSpec spec) {
      this.given = given;
      this.spec = spec;
    }

    @Override
    public PCollection<KV<Integer, Iterable<String>>> expand(PCollection<Row> changes) {
      return changes.apply("Steps", new MergeSteps(given, spec)).get(MergeSteps.STEPS);
    }
  }
}
