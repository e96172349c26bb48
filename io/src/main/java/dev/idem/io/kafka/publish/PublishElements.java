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
package dev.idem.io.kafka.publish;

import dev.idem.transforms.NoOutput;
import dev.idem.transforms.external.DeadLetter;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.NullableCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Publishes elements as events, shard by shard; what comes out are those that cannot be events of
 * the topic.
 */
final class PublishElements<T> extends PTransform<PCollection<T>, PCollection<DeadLetter<T>>> {

  private final PublishTarget target;
  private final int shards;
  private final EventMapping<T> mapping;
  private final ShardWriter writer;

  PublishElements(PublishTarget target, int shards, EventMapping<T> mapping, ShardWriter writer) {
    this.target = target;
    this.shards = shards;
    this.mapping = mapping;
    this.writer = writer;
  }

  @Override
  public PCollection<DeadLetter<T>> expand(PCollection<T> elements) {
    Coder<DeadLetter<T>> letters = DeadLetter.coder(elements.getCoder());
    KvCoder<Integer, @Nullable T> sharded =
        KvCoder.of(VarIntCoder.of(), NullableCoder.of(elements.getCoder()));
    TupleTag<KV<Integer, @Nullable T>> keyed = new TupleTag<>("keyed") {};
    TupleTag<DeadLetter<T>> keyless = new TupleTag<>("keyless") {};
    PCollectionTuple assigned =
        elements.apply(
            "AssignElements",
            ParDo.of(new AssignFn<>(shards, mapping, keyed, keyless))
                .withOutputTags(NoOutput.TAG, TupleTagList.of(keyed).and(keyless)));
    List<KV<Integer, @Nullable T>> markers = new ArrayList<>();
    for (int shard = 0; shard < shards; shard++) {
      markers.add(KV.of(shard, null));
    }
    PCollection<DeadLetter<T>> tooLarge =
        PCollectionList.of(assigned.get(keyed).setCoder(sharded))
            // Without these a shard without events would have no group and no record.
            .and(elements.getPipeline().apply("EmptyShards", Create.of(markers).withCoder(sharded)))
            .apply("AllElements", Flatten.pCollections())
            .apply("GroupElements", GroupByKey.create())
            .apply("PublishElements", ParDo.of(new PublishFn<>(target, mapping, writer)))
            .setCoder(letters);
    return PCollectionList.of(assigned.get(keyless).setCoder(letters))
        .and(tooLarge)
        .apply("AllDeadLetters", Flatten.pCollections());
  }

  private static final class AssignFn<T> extends DoFn<T, Void> {
    private static final long serialVersionUID = 1L;

    private final int shards;
    private final EventMapping<T> mapping;
    private final TupleTag<KV<Integer, @Nullable T>> keyed;
    private final TupleTag<DeadLetter<T>> keyless;

    AssignFn(
        int shards,
        EventMapping<T> mapping,
        TupleTag<KV<Integer, @Nullable T>> keyed,
        TupleTag<DeadLetter<T>> keyless) {
      this.shards = shards;
      this.mapping = mapping;
      this.keyed = keyed;
      this.keyless = keyless;
    }

    @ProcessElement
    public void assign(@Element T element, MultiOutputReceiver out) {
      byte[] key = mapping.key(element);
      if (key == null) {
        out.get(keyless).output(PublishErrors.keyless(element));
      } else {
        out.get(keyed).output(KV.of(Shards.of(key, shards), element));
      }
    }
  }

  private static final class PublishFn<T>
      extends DoFn<KV<Integer, Iterable<@Nullable T>>, DeadLetter<T>> {
    private static final long serialVersionUID = 1L;

    private final PublishTarget target;
    private final EventMapping<T> mapping;
    private final ShardWriter writer;

    PublishFn(PublishTarget target, EventMapping<T> mapping, ShardWriter writer) {
      this.target = target;
      this.mapping = mapping;
      this.writer = writer;
    }

    @ProcessElement
    public void publish(
        @Element KV<Integer, Iterable<@Nullable T>> group, OutputReceiver<DeadLetter<T>> out) {
      List<T> elements = new ArrayList<>();
      for (T element : group.getValue()) {
        if (element != null) {
          elements.add(element);
        }
      }
      List<T> published = mapping.published(elements);
      List<KafkaEvent> events = published.stream().map(mapping::event).toList();
      Set<String> tooLarge = writer.write(group.getKey(), events);
      for (int i = 0; i < events.size(); i++) {
        String id = target.eventId(events.get(i));
        if (tooLarge.contains(id)) {
          out.output(PublishErrors.tooLarge(published.get(i), id, events.get(i)));
        }
      }
    }
  }
}
