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
package dev.idem.io.jdbc;

import dev.idem.transforms.NoOutput;
import dev.idem.transforms.external.DeadLetter;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VoidCoder;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTagList;

/** Writes the shards of a batch; the outputs are those of {@link WriteShardFn}. */
final class WriteShards extends PTransform<PCollection<Row>, PCollectionTuple> {
  private final JdbcBatchFactory factory;
  private final Carried carried;

  WriteShards(JdbcBatchFactory factory, Carried carried) {
    this.factory = factory;
    this.carried = carried;
  }

  @Override
  public PCollectionTuple expand(PCollection<Row> carriers) {
    PCollectionTuple written =
        carriers
            .apply(
                "AssignShards",
                ParDo.of(new AssignShardFn(factory, carried, factory.spec().keys())))
            .setCoder(KvCoder.of(VarIntCoder.of(), ByteArrayCoder.of()))
            .apply("GroupShards", GroupByKey.create())
            .apply(
                "WriteShards",
                ParDo.of(new WriteShardFn(factory, carried))
                    .withOutputTags(
                        NoOutput.TAG,
                        TupleTagList.of(WriteShardFn.CONTENT).and(WriteShardFn.DEAD_LETTERS)));
    written.get(NoOutput.TAG).setCoder(VoidCoder.of());
    written.get(WriteShardFn.CONTENT).setCoder(StringUtf8Coder.of());
    written
        .get(WriteShardFn.DEAD_LETTERS)
        .setCoder(DeadLetter.coder(RowCoder.of(carried.schema())));
    return written;
  }
}
