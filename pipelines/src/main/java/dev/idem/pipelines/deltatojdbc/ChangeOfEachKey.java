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
package dev.idem.pipelines.deltatojdbc;

import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Leaves one change of each key in each version of a table: the row that the version has, or a
 * delete if it has none. A row before an update says nothing that the row after it does not say
 * better, but where the update changed its key: there it is the delete of the key that it had.
 */
final class ChangeOfEachKey extends PTransform<PCollection<Event>, PCollection<Event>> {

  private static final String TYPE = "_change_type";
  private static final String VERSION = "_commit_version";
  private static final String DELETE = "delete";
  private static final Set<String> WITHDRAWALS = Set.of(DELETE, "update_preimage");

  private static final TupleTag<KV<byte[], Event>> ROWS = new TupleTag<>("rows") {};
  private static final TupleTag<Event> OTHERS = new TupleTag<>("others") {};

  private final List<String> keys;

  /**
   * Tells keys apart by columns.
   *
   * @param keys the columns of the key; none if all rows are kept, and preimages alone left out
   */
  ChangeOfEachKey(List<String> keys) {
    this.keys = List.copyOf(keys);
  }

  private static boolean isWithdrawal(Event event) {
    return WITHDRAWALS.contains(event.row().getString(TYPE));
  }

  @Override
  public PCollection<Event> expand(PCollection<Event> events) {
    EventCoder coder = (EventCoder) events.getCoder();
    if (keys.isEmpty()) {
      return events.apply("LeaveOutPreimages", ParDo.of(new LeaveOutPreimages())).setCoder(coder);
    }
    PCollectionTuple sorted =
        events.apply(
            "KeyByVersion",
            ParDo.of(new KeyByVersion(keys)).withOutputTags(ROWS, TupleTagList.of(OTHERS)));
    PCollection<Event> rows =
        sorted
            .get(ROWS)
            .setCoder(KvCoder.of(ByteArrayCoder.of(), coder))
            .apply("GroupChanges", GroupByKey.create())
            .apply("ChooseChange", ParDo.of(new ChooseChange()))
            .setCoder(coder);
    return PCollectionList.of(rows)
        .and(sorted.get(OTHERS).setCoder(coder))
        .apply("All", Flatten.pCollections());
  }

  private static final class LeaveOutPreimages extends DoFn<Event, Event> {
    @ProcessElement
    public void process(@Element Event event, OutputReceiver<Event> output) {
      boolean preimage =
          event.isRow() && isWithdrawal(event) && !DELETE.equals(event.row().getString(TYPE));
      output.output(preimage ? event.filtered() : event);
    }
  }

  private static final class KeyByVersion extends DoFn<Event, KV<byte[], Event>> {
    private final List<String> keys;
    private transient @Nullable RowEncoding encoding;

    KeyByVersion(List<String> keys) {
      this.keys = new ArrayList<>(keys);
      this.keys.add(VERSION);
    }

    @ProcessElement
    public void process(@Element Event event, MultiOutputReceiver output) {
      if (!event.isRow()) {
        output.get(OTHERS).output(event);
        return;
      }
      if (encoding == null) {
        encoding = RowEncoding.of(event.row().getSchema(), keys);
      }
      output.get(ROWS).output(KV.of(encoding.encode(event.row()), event));
    }
  }

  private static final class ChooseChange extends DoFn<KV<byte[], Iterable<Event>>, Event> {
    @ProcessElement
    public void process(
        @Element KV<byte[], Iterable<Event>> changes, OutputReceiver<Event> output) {
      boolean there = false;
      for (Event event : changes.getValue()) {
        there |= !isWithdrawal(event);
      }
      boolean settled = there;
      for (Event event : changes.getValue()) {
        if (!isWithdrawal(event)) {
          output.output(event);
        } else {
          output.output(settled ? event.filtered() : event.withRow(asDelete(event.row())));
          settled = true;
        }
      }
    }

    private static Row asDelete(Row row) {
      return Row.fromRow(row).withFieldValue(TYPE, DELETE).build();
    }
  }
}
