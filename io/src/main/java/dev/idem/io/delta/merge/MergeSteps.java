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

import dev.idem.transforms.NoOutput;
import dev.idem.transforms.changes.InvalidChange;
import dev.idem.transforms.changes.RefuseInvalid;
import dev.idem.transforms.changes.TableMerge;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.Reshuffle;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;

/** All of a merge but the commit. */
final class MergeSteps extends PTransform<PCollection<Row>, PCollectionTuple> {

  /** What was done, as one group for the commit. */
  static final TupleTag<KV<Integer, Iterable<String>>> STEPS = new TupleTag<>("steps") {};

  private static final KvCoder<Integer, String> MESSAGES =
      KvCoder.of(VarIntCoder.of(), StringUtf8Coder.of());

  private final transient TableMerge given;
  private final transient MergeSpec spec;

  /**
   * Makes the steps of a merge.
   *
   * @param given how changes of the input are merged
   */
  MergeSteps(TableMerge given, MergeSpec spec) {
    this.given = given;
    this.spec = spec;
  }

  @Override
  public PCollectionTuple expand(PCollection<Row> input) {
    PCollectionTuple read =
        input.apply(
            "ReadChanges",
            ParDo.of(new ReadChangeFn(given, spec))
                .withOutputTags(
                    NoOutput.TAG, TupleTagList.of(ReadChangeFn.CHANGES).and(ReadChangeFn.INVALID)));
    PCollection<InvalidChange> invalid =
        read.get(ReadChangeFn.INVALID).setCoder(InvalidChange.coder(input.getSchema()));
    PCollection<KV<Integer, String>> shards = stage(read.get(ReadChangeFn.CHANGES), invalid);
    PCollectionTuple planned =
        shards
            .apply("OnePlan", GroupByKey.create())
            .apply(
                "Plan",
                ParDo.of(new PlanMergeFn(spec))
                    .withOutputTags(
                        NoOutput.TAG,
                        TupleTagList.of(PlanMergeFn.TASKS)
                            .and(PlanMergeFn.GROUPS)
                            .and(PlanMergeFn.PLAN)));
    PCollectionTuple merged = merge(planned);
    PCollection<KV<Integer, String>> rewritten =
        merged
            .get(MergeGroupFn.LEAVING)
            .setCoder(MESSAGES)
            .apply("GroupFiles", GroupByKey.create())
            .apply("RewriteFiles", ParDo.of(new RewriteFn(spec)))
            .setCoder(MESSAGES);
    PCollection<KV<Integer, Iterable<String>>> steps =
        PCollectionList.of(planned.get(PlanMergeFn.PLAN).setCoder(MESSAGES))
            .and(merged.get(MergeGroupFn.OUTCOMES).setCoder(MESSAGES))
            .and(rewritten)
            .apply("AllSteps", Flatten.pCollections())
            .apply("OneGroup", GroupByKey.create());
    return PCollectionTuple.of(STEPS, steps).and(ReadChangeFn.INVALID, invalid);
  }

  private PCollection<KV<Integer, String>> stage(
      PCollection<KV<Integer, Row>> changes, PCollection<InvalidChange> invalid) {
    KvCoder<Integer, Row> coder =
        KvCoder.of(VarIntCoder.of(), RowCoder.of(spec.merge().changeSchema()));
    PCollection<KV<Integer, Row>> valid = changes.setCoder(coder);
    if (given.isStrict()) {
      valid = valid.apply("RefuseInvalid", new RefuseInvalid(invalid)).setCoder(coder);
    }
    PCollection<KV<Integer, String>> staged =
        valid
            .apply("GroupByShard", GroupByKey.create())
            .apply("StageShards", ParDo.of(new StageShardFn(spec)))
            .setCoder(MESSAGES);
    // Without it a batch without changes would have no group, and nobody would record it.
    PCollection<KV<Integer, String>> none =
        changes.getPipeline().apply("NoShard", Create.of(KV.of(0, "")).withCoder(MESSAGES));
    return PCollectionList.of(staged).and(none).apply("AllShards", Flatten.pCollections());
  }

  private PCollectionTuple merge(PCollectionTuple planned) {
    KvCoder<Integer, HeldRow> coder = KvCoder.of(VarIntCoder.of(), new HeldRowCoder(spec.merge()));
    PCollection<KV<Integer, HeldRow>> found =
        planned
            .get(PlanMergeFn.TASKS)
            .setCoder(SerializableCoder.of(ReadTask.class))
            .apply("Distribute", Reshuffle.viaRandomKey())
            .apply("FindRows", ParDo.of(new FindRowsFn(spec)))
            .setCoder(coder);
    return PCollectionList.of(found)
        .and(planned.get(PlanMergeFn.GROUPS).setCoder(coder))
        .apply("AllRows", Flatten.pCollections())
        .apply("GroupRows", GroupByKey.create())
        .apply(
            "MergeGroups",
            ParDo.of(new MergeGroupFn(spec))
                .withOutputTags(
                    NoOutput.TAG,
                    TupleTagList.of(MergeGroupFn.OUTCOMES).and(MergeGroupFn.LEAVING)));
  }
}
