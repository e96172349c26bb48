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
package dev.idem.pipelines.targets;

import dev.idem.io.http.WriteHttpEffects;
import dev.idem.transforms.external.DeadLetter;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.apache.beam.sdk.values.TupleTagList;

/** Sends rows that come with their origin; what comes out are those that have no effect. */
final class SendRows extends PTransform<PCollection<Row>, PCollection<DeadLetter<Row>>> {

  private static final TupleTag<Row> WHOLE = new TupleTag<>("whole") {};
  private static final TupleTag<DeadLetter<Row>> LACKING = new TupleTag<>("lacking") {};

  private final WriteHttpEffects<Row> write;
  private final RowRequests requests;

  /** Makes the requests of a target's own of what was set of them. */
  SendRows(HttpTarget target, String sink, int shards, RowRequests requests) {
    RequestRules rules = target.requestRules();
    WriteHttpEffects<Row> all =
        target
            .requests()
            .named(sink)
            .keyedBy(requests::key, StringUtf8Coder.of())
            .sequencedBy(requests::sequence, StringUtf8Coder.of())
            .withShards(shards);
    if (rules.body()) {
      all = all.withBody(requests::body);
    }
    this.write = rules.path() == null ? all : all.withPath(requests::path);
    this.requests = requests;
  }

  @Override
  public PCollection<DeadLetter<Row>> expand(PCollection<Row> carriers) {
    PCollectionTuple checked =
        carriers.apply(
            "CheckRows",
            ParDo.of(new CheckRows(requests)).withOutputTags(WHOLE, TupleTagList.of(LACKING)));
    PCollection<DeadLetter<Row>> lacking =
        checked.get(LACKING).setCoder(DeadLetter.coder(carriers.getCoder()));
    PCollection<DeadLetter<Row>> refused =
        checked
            .get(WHOLE)
            .setRowSchema(carriers.getSchema())
            .apply("Requests", write)
            .deadLetters();
    return PCollectionList.of(lacking).and(refused).apply("All", Flatten.pCollections());
  }

  /** Sorts out rows of which no request can be made. */
  private static final class CheckRows extends DoFn<Row, Row> {
    private final RowRequests requests;

    CheckRows(RowRequests requests) {
      this.requests = requests;
    }

    @ProcessElement
    public void process(@Element Row carrier, MultiOutputReceiver output) {
      requests
          .lacking(carrier)
          .ifPresentOrElse(
              column ->
                  output
                      .get(LACKING)
                      .output(
                          new DeadLetter<>(
                              carrier,
                              "",
                              "null",
                              "Column \""
                                  + column
                                  + "\" must not be null, because it is part of the key, the"
                                  + " sequence or the path, but was: null.",
                              0)),
              () -> output.get(WHOLE).output(carrier));
    }
  }
}
