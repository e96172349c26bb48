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
package dev.idem.pipelines.batch;

import dev.idem.io.checkpoint.Plan;
import dev.idem.pipelines.event.Event;
import dev.idem.transforms.dedup.KeyMemory;
import java.io.Serializable;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.values.PCollection;
import org.joda.time.Instant;

/**
 * One batch as its pipeline function sees it: the id, the only time it may take for now, the
 * watermark, and what earlier batches remember. All of it comes from the batch's plan, so a replay
 * sees the same.
 */
public final class Batch implements Serializable {

  private final long id;
  private final String applicationId;
  private final java.time.Instant clock;
  private final java.time.@org.checkerframework.checker.nullness.qual.Nullable Instant watermark;
  private final int shards;
  private final Schema schema;
  private final KeyMemory memory;
  private final Duration watermarkDelay;
  private final Duration dedupHorizon;
  private final Duration maxFutureSkew;
  private transient boolean memoryUsed;
  private transient List<String> keys = List.of();
  private transient Map<String, String> bound = new TreeMap<>();

  /**
   * Makes the batch of a plan; a job does, a function is given one.
   *
   * @param schema the schema of the source's rows
   * @param memory what earlier batches remember
   */
  public Batch(Plan plan, Schema schema, KeyMemory memory, EventTimeRules rules) {
    this.id = plan.batch();
    this.applicationId = plan.applicationId();
    this.clock = plan.clock();
    this.watermark = plan.watermark().orElse(null);
    this.shards = plan.shards();
    this.schema = schema;
    this.memory = memory;
    this.watermarkDelay = rules.watermarkDelay();
    this.dedupHorizon = rules.dedupHorizon();
    this.maxFutureSkew = rules.maxFutureSkew();
  }

  /** Returns the batch id, from 0. */
  public long id() {
    return id;
  }

  /** Returns the id that names the job to its targets. */
  public String applicationId() {
    return applicationId;
  }

  /** Returns the time at which the batch was planned: the only time it may take for now. */
  public java.time.Instant clock() {
    return clock;
  }

  /** Returns the watermark at the start of the batch, empty as long as there is none. */
  public Optional<java.time.Instant> watermark() {
    return Optional.ofNullable(watermark);
  }

  /** Returns the schema of the source's rows. */
  public Schema schema() {
    return schema;
  }

  /**
   * Returns what earlier batches remember. A function that takes it must let the events it
   * remembers flow to the targets; {@link #deduplicateBy} does.
   */
  public KeyMemory memory() {
    memoryUsed = true;
    return memory;
  }

  /**
   * Returns the transform that lets one event of each key through, over all batches: copies are
   * counted, and conflicting, late and keyless rows become dead letters.
   *
   * <p>At most once a batch: an event is remembered under one key.
   *
   * @param keyColumns the columns that make up the key
   * @throws IllegalArgumentException if the batch is deduplicated already
   */
  public PTransform<PCollection<Event>, PCollection<Event>> deduplicateBy(String... keyColumns) {
    List<String> given = List.of(keyColumns);
    if (!keys.isEmpty()) {
      throw deduplicatedTwice(keys, given);
    }
    keys = given;
    return new DeduplicateEvents(this, keyColumns);
  }

  private static IllegalArgumentException deduplicatedTwice(
      List<String> first, List<String> second) {
    return new IllegalArgumentException(
        "Batch must be deduplicated once, because an event is remembered under one key, but was: by"
            + " \""
            + String.join(",", first)
            + "\" and by \""
            + String.join(",", second)
            + "\". Deduplicate by one list of columns.");
  }

  /**
   * Binds the checkpoint to a choice of the function: later batches are refused with another one.
   *
   * @param name names the choice
   */
  public void bind(String name, String choice) {
    bound.put(name, choice);
  }

  /** Returns the choices that the checkpoint is bound to. */
  public Map<String, String> bound() {
    return Map.copyOf(bound);
  }

  /** Returns the key columns that the function deduplicates by; none as long as it does not. */
  public List<String> keys() {
    return keys;
  }

  int shards() {
    return shards;
  }

  Duration watermarkDelay() {
    return watermarkDelay;
  }

  Duration dedupHorizon() {
    return dedupHorizon;
  }

  /** Returns whether the function took what earlier batches remember. */
  public boolean usesMemory() {
    return memoryUsed;
  }

  /**
   * Returns whether an event time may move the watermark: one further ahead of the clock than the
   * skew that is allowed does not.
   */
  public boolean movesWatermark(Instant eventTime) {
    return eventTime.getMillis() <= clock.plus(maxFutureSkew).toEpochMilli();
  }
}
