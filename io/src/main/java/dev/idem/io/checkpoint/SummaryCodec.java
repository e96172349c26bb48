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
package dev.idem.io.checkpoint;

import dev.idem.transforms.fingerprint.ContentSum;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The JSON of summaries, as {@code commits/N} and every target's record keep it: sorted keys, so
 * equal summaries have equal text in every JVM.
 */
public final class SummaryCodec {

  private SummaryCodec() {}

  /** Returns the canonical JSON of a summary, on one line. */
  public static String toJson(Summary summary) {
    return Json.canonical(body(summary));
  }

  /**
   * Returns the summary written by {@link #toJson}.
   *
   * @throws IllegalArgumentException if the text is not such a summary
   */
  public static Summary fromJson(String json) {
    return PlanCodec.read(json, SummaryCodec::fromFields, "Summary");
  }

  static Map<String, Object> body(Summary summary) {
    Map<String, Object> outputs = new LinkedHashMap<>();
    summary
        .outputs()
        .forEach(
            (name, output) ->
                outputs.put(
                    name, Map.of("rows", output.rows(), "content", output.content().toString())));
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("batch", summary.batch());
    body.put("outputs", outputs);
    body.put("counts", summary.counts());
    body.put("greatest", PlanCodec.progressBody(summary.greatest()));
    body.put("watermark", PlanCodec.text(summary.watermark()));
    if (!summary.positions().isEmpty()) {
      body.put("positions", summary.positions());
    }
    return body;
  }

  static Summary fromFields(JsonFields fields) {
    return new Summary(
        fields.number("batch"),
        fields.objects(
            "outputs",
            output ->
                new Summary.Output(
                    output.number("rows"), ContentSum.parse(output.text("content")))),
        fields.numbers("counts"),
        PlanCodec.progressFromFields(fields, "greatest"),
        fields.optionalInstant("watermark"),
        fields.optionalText("positions"));
  }
}
