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
package dev.idem.pipelines.plan;

import dev.idem.io.checkpoint.Checkpoint;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.pipelines.batch.Batch;
import dev.idem.pipelines.batch.EventTimeRules;
import dev.idem.pipelines.batch.PipelineFunction;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import dev.idem.pipelines.source.Source;
import dev.idem.transforms.dedup.KeyMemory;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.PCollection;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What a job's function makes of a schema, learned by building its pipeline once without running
 * it.
 *
 * @param decoded the schema of the decoded records
 * @param rows the schema of the rows that the targets get
 * @param keys the columns the function deduplicates by, joined by commas
 * @param remembers whether the function uses the memory
 * @param bound further choices that the checkpoint is bound to
 */
public record Shape(
    Schema decoded, Schema rows, String keys, boolean remembers, Map<String, String> bound) {

  /** Returns the shape that records of a schema have. */
  public static Shape of(
      Source source, PipelineFunction function, Schema decoded, PlanSettings settings) {
    Plan nothing =
        new Plan(
            settings.applicationId(),
            0,
            "",
            0,
            Instant.EPOCH,
            Map.of(),
            List.of(),
            Optional.empty(),
            List.of(),
            "",
            Map.of(),
            1,
            RowEncoding.VERSION);
    Schema sourceRows = source.rowSchema(decoded);
    Batch batch = new Batch(nothing, sourceRows, KeyMemory.none(), settings.eventTime());
    Pipeline never = Pipeline.create(PipelineOptionsFactory.create());
    PCollection<Event> events =
        function.apply(batch, never.apply("Nothing", Create.empty(EventCoder.of(sourceRows))));
    if (!(events.getCoder() instanceof EventCoder coder)) {
      throw new IllegalArgumentException(
          "Events of a pipeline function must have an EventCoder, but have: "
              + events.getCoder().getClass().getName()
              + ". Set EventCoder.of(schema) on the last collection, or use MapRows.");
    }
    return new Shape(
        decoded, coder.schema(), String.join(",", batch.keys()), batch.usesMemory(), batch.bound());
  }

  /** Returns the shape that the records of an input have, null as long as there is none. */
  public static @Nullable Shape of(
      Source.Session session,
      Planner.Input input,
      Source source,
      PipelineFunction function,
      PlanSettings settings)
      throws IOException {
    if (input.isEmpty()) {
      return null;
    }
    return session
        .schema(input.ranges(), input.limits())
        .map(decoded -> of(source, function, decoded, settings))
        .orElse(null);
  }

  /** Returns the columns by which rows are unique; none if they are not known to be. */
  public List<String> keyColumns() {
    return keys.isEmpty() ? List.of() : List.of(keys.split(","));
  }

  /** Returns the decoded records' schema, as a plan stores it. */
  public String decodedJson() {
    return DeltaSchemas.toJson(decoded);
  }

  /** Returns the options that a checkpoint is bound to. */
  public Map<String, String> boundOptions(Source source) {
    Map<String, String> options = new TreeMap<>(source.boundOptions());
    options.put("keys", keys);
    options.putAll(bound);
    return options;
  }

  /**
   * Refuses options other than those that the checkpoint of a plan was bound to.
   *
   * @param checkpoint where the checkpoint is
   */
  public void refuseUnbound(String checkpoint, Source source, Plan plan) {
    Map<String, String> given = boundOptions(source);
    Map<String, String> bound = new TreeMap<>(plan.options());
    bound.keySet().retainAll(given.keySet());
    Checkpoint.refuseUnbound(checkpoint, bound, given);
  }

  /** Returns the options that decide the content of a batch, beside its ranges and schema. */
  public Map<String, String> contentOptions(Source source, EventTimeRules eventTime) {
    Map<String, String> options = new TreeMap<>(source.contentOptions());
    options.putAll(boundOptions(source));
    options.put("watermarkDelay", eventTime.watermarkDelay().toString());
    options.put("dedupHorizon", eventTime.dedupHorizon().toString());
    options.put("maxFutureSkew", eventTime.maxFutureSkew().toString());
    options.put("rowSchema", DeltaSchemas.toJson(rows));
    return options;
  }
}
