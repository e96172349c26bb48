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

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The JSON of plans, as {@code offsets/N} and every target's record keep it: sorted keys, so equal
 * plans have equal text in every JVM.
 */
public final class PlanCodec {

  private PlanCodec() {}

  /** Returns the canonical JSON of a plan, on one line. */
  public static String toJson(Plan plan) {
    return Json.canonical(body(plan));
  }

  /**
   * Returns the plan written by {@link #toJson}.
   *
   * @throws IllegalArgumentException if the text is not such a plan
   */
  public static Plan fromJson(String json) {
    return read(json, PlanCodec::fromFields, "Plan");
  }

  /** Returns the SHA-256 of the canonical JSON, in hexadecimal. */
  static String fingerprint(Plan plan) {
    return Json.sha256(toJson(plan));
  }

  static <T> T read(String json, Function<JsonFields, T> reader, String thing) {
    try {
      JsonFields fields = Json.parse(json);
      T value = reader.apply(fields);
      fields.done();
      return value;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          thing
              + " must be the JSON that this library wrote, but was: "
              + e.getMessage()
              + ". Restore the record from a backup.",
          e);
    }
  }

  static Map<String, Object> body(Plan plan) {
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("applicationId", plan.applicationId());
    body.put("batch", plan.batch());
    body.put("epoch", plan.epoch());
    body.put("lease", plan.lease());
    body.put("clock", plan.clock().toString());
    body.put("source", plan.source());
    body.put("ranges", plan.ranges().stream().map(PlanCodec::rangeBody).toList());
    body.put("watermark", text(plan.watermark()));
    body.put("progress", progressBody(plan.progress()));
    body.put("schema", plan.schema());
    body.put("options", plan.options());
    body.put("shards", plan.shards());
    body.put("encoding", plan.encoding());
    return body;
  }

  static Plan fromFields(JsonFields fields) {
    return new Plan(
        fields.text("applicationId"),
        fields.number("batch"),
        fields.text("epoch"),
        fields.number("lease"),
        fields.instant("clock"),
        fields.texts("source"),
        fields.list("ranges", PlanCodec::rangeFromFields),
        fields.optionalInstant("watermark"),
        progressFromFields(fields, "progress"),
        fields.text("schema"),
        fields.texts("options"),
        fields.integer("shards"),
        fields.integer("encoding"));
  }

  static List<Map<String, Object>> progressBody(List<Plan.Progress> progress) {
    return progress.stream()
        .map(
            one -> {
              Map<String, Object> body = new LinkedHashMap<>();
              body.put("topic", one.topic());
              body.put("partition", one.partition());
              body.put("greatest", text(one.greatest()));
              body.put("readAt", text(one.readAt()));
              return body;
            })
        .toList();
  }

  static List<Plan.Progress> progressFromFields(JsonFields fields, String name) {
    return fields.list(
        name,
        one ->
            new Plan.Progress(
                one.text("topic"),
                one.integer("partition"),
                one.optionalInstant("greatest"),
                one.optionalInstant("readAt")));
  }

  static Object text(Optional<Instant> instant) {
    return instant.map(Instant::toString).orElse(null);
  }

  private static Map<String, Object> rangeBody(Plan.Range range) {
    return Map.of(
        "topic", range.topic(),
        "partition", range.partition(),
        "start", range.start(),
        "end", range.end(),
        "leaderEpoch", range.leaderEpoch());
  }

  private static Plan.Range rangeFromFields(JsonFields fields) {
    return new Plan.Range(
        fields.text("topic"),
        fields.integer("partition"),
        fields.number("start"),
        fields.number("end"),
        fields.integer("leaderEpoch"));
  }
}
