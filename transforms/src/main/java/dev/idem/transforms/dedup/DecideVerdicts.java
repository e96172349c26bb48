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
package dev.idem.transforms.dedup;

import dev.idem.transforms.fingerprint.KeyTypes;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.util.List;
import org.apache.beam.sdk.coders.ByteArrayCoder;
import org.apache.beam.sdk.coders.KvCoder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.GroupByKey;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.transforms.windowing.DefaultTrigger;
import org.apache.beam.sdk.transforms.windowing.GlobalWindows;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.transforms.windowing.WindowFn;
import org.apache.beam.sdk.values.KV;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollection.IsBounded;
import org.joda.time.Duration;

/**
 * Decides about every element, by shards if the input is bounded, else by buckets with state, and
 * gives what a function makes of each verdict.
 */
final class DecideVerdicts<T, OutputT> extends PTransform<PCollection<T>, PCollection<OutputT>> {
  private static final String SPARK_RUNNERS = "org.apache.beam.runners.spark.";

  private final DeduplicateWithinWatermark<T> config;
  private final SerializableFunction<Verdict<T>, OutputT> output;

  DecideVerdicts(
      DeduplicateWithinWatermark<T> config, SerializableFunction<Verdict<T>, OutputT> output) {
    this.config = config;
    this.output = output;
  }

  @Override
  public PCollection<OutputT> expand(PCollection<T> input) {
    checkWindow(input);
    Schema schema = schemaOf(input);
    checkExist("Key column", schema, config.keyColumns());
    checkExist("Column without payload", schema, config.notPayload());
    for (String column : config.keyColumns()) {
      KeyTypes.floatingPoint(schema, column)
          .ifPresent(
              path -> {
                throw DedupErrors.floatingPointKey(path);
              });
    }
    return input.isBounded() == IsBounded.BOUNDED
        ? decideByShard(input, schema)
        : decideByBucket(input, schema);
  }

  private static void checkExist(String thing, Schema schema, List<String> columns) {
    for (String column : columns) {
      if (!schema.hasField(column)) {
        throw DedupErrors.missingColumn(thing, column, schema);
      }
    }
  }

  private PCollection<OutputT> decideByShard(PCollection<T> input, Schema schema) {
    KeyMemory memory = config.memory() == null ? KeyMemory.none() : config.memory();
    ShardDecision<T> decision =
        new ShardDecision<>(
            config.watermark(),
            horizon(),
            new CopyOrder<>(config.position(), config.row(), RowEncoding.of(schema)));
    CopyCoder<T> coder = CopyCoder.of(input.getCoder());
    int shards = config.shards();
    return input
        .apply(
            "CollectByShard",
            ParDo.of(new CollectCopiesFn<>(copyFactory(input, schema), coder, shards)))
        .setCoder(KvCoder.of(VarIntCoder.of(), ByteArrayCoder.of()))
        .apply("FireOnce", fireOnce())
        .apply("GroupByShard", GroupByKey.create())
        .apply(
            "DecideShards", ParDo.of(new DecideShardFn<>(decision, memory, coder, shards, output)))
        .setWindowingStrategyInternal(input.getWindowingStrategy());
  }

  private PCollection<OutputT> decideByBucket(PCollection<T> input, Schema schema) {
    if (config.watermark() != null) {
      throw DedupErrors.onlyBounded("withWatermark");
    }
    if (config.memory() != null) {
      throw DedupErrors.onlyBounded("withMemory");
    }
    if (config.delay() == null) {
      throw DedupErrors.noDelay();
    }
    BucketRules rules =
        new BucketRules(horizon(), config.delay(), config.maxFutureSkew(), config.clock());
    DoFn<KV<Integer, Copy<T>>, OutputT> remember =
        hasEventTimeTimers(input)
            ? new RememberWithTimerFn<>(rules, output)
            : new RememberFn<>(rules, output);
    return input
        .apply(
            "AssignBuckets",
            ParDo.of(new AssignBucketFn<>(copyFactory(input, schema), config.buckets())))
        .setCoder(KvCoder.of(VarIntCoder.of(), CopyCoder.of(input.getCoder())))
        .apply("DecideInBuckets", ParDo.of(remember));
  }

  /** A trigger of the input would split a shard into several groups that know nothing of others. */
  private static <V> Window<V> fireOnce() {
    return Window.<V>into(new GlobalWindows())
        .triggering(DefaultTrigger.of())
        .withAllowedLateness(Duration.ZERO)
        .discardingFiredPanes();
  }

  private CopyFactory<T> copyFactory(PCollection<T> input, Schema schema) {
    List<String> payload =
        schema.getFieldNames().stream()
            .filter(name -> !config.keyColumns().contains(name))
            .filter(name -> !config.notPayload().contains(name))
            .toList();
    return new CopyFactory<>(
        config.row(),
        config.position(),
        RowEncoding.of(schema, config.keyColumns()),
        RowEncoding.of(schema, payload),
        input.getCoder());
  }

  private Schema schemaOf(PCollection<T> input) {
    if (config.rowSchema() != null) {
      return config.rowSchema();
    }
    if (!config.elementsAreRows()) {
      throw DedupErrors.noRowSchema();
    }
    if (!input.hasSchema()) {
      throw DedupErrors.noSchema();
    }
    return input.getSchema();
  }

  private Duration horizon() {
    if (config.horizon() != null) {
      return config.horizon();
    }
    if (config.delay() != null) {
      return config.delay();
    }
    throw DedupErrors.noHorizon();
  }

  private static void checkWindow(PCollection<?> input) {
    WindowFn<?, ?> windowFn = input.getWindowingStrategy().getWindowFn();
    if (!(windowFn instanceof GlobalWindows)) {
      throw DedupErrors.windowed(windowFn.getClass().getSimpleName());
    }
  }

  /** The runner refuses event-time timers in streaming mode when it translates the pipeline. */
  private static boolean hasEventTimeTimers(PCollection<?> input) {
    return !input.getPipeline().getOptions().getRunner().getName().startsWith(SPARK_RUNNERS);
  }
}
