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

import com.google.auto.value.AutoValue;
import dev.idem.transforms.NoOutput;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import java.io.Serializable;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionTuple;
import org.apache.beam.sdk.values.PInput;
import org.apache.beam.sdk.values.POutput;
import org.apache.beam.sdk.values.PValue;
import org.apache.beam.sdk.values.Row;
import org.apache.beam.sdk.values.TupleTag;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Duration;
import org.joda.time.Instant;

/**
 * A transform that lets one copy of every key through and says of every other element why it does
 * not go on.
 *
 * <p><b>Guarantee.</b> Every element comes out exactly once, in one of these outputs:
 *
 * <ul>
 *   <li><i>unique</i>: the first copy of a key that is not remembered;
 *   <li><i>duplicates</i>: a copy of a unique or remembered element, late or not;
 *   <li><i>conflicts</i>: has the key of a unique or remembered element but another payload, late
 *       or not: the key does not identify what it was taken to identify;
 *   <li><i>late</i>: its key is not remembered and its timestamp is before the watermark;
 *   <li><i>invalid</i>: a key column is null; nulls are never equal to each other;
 *   <li><i>others</i>: carries no row.
 * </ul>
 *
 * A key is remembered until the watermark reaches its expiry: the greatest event time of its copies
 * that were not late, plus the horizon. So of copies that lie within the horizon of each other one
 * is unique. Keys are compared by a 128-bit fingerprint of their canonical encoding, payloads by 64
 * bits: two different keys meet with a probability of about n²/2¹²⁹ among n keys.
 *
 * <p><i>Bounded input</i> (a batch): the watermark is the one given, or none, and stands still. Of
 * the copies that are not late the least by (event time, position) is unique, whatever order they
 * arrive in. What earlier batches remember is given by {@link #withMemory}; what this one adds is
 * in {@link Result#remembered()}. <i>Unbounded input</i>: the copy that arrives first is unique.
 * Keys are spread over buckets, and each keeps its own watermark, the greatest event time of
 * earlier elements minus the delay. On runners with event-time timers a timer of the bucket moves
 * it on too, to the time it fires for, so there the greater of both decides. On Spark, which
 * refuses such timers in streaming mode, only the elements decide. The pipeline's runner option
 * tells which way is built.
 *
 * <p><b>Replay.</b> A bounded input that is read again, with the same watermark and memory, gives
 * the same verdicts and the same additions to the memory, however it is split into bundles. In an
 * unbounded pipeline the state is as durable as the runner's.
 *
 * <p><b>Requirements.</b> The input is in the global window; another window function is refused by
 * name: deduplicate first and window afterwards. Its elements are rows, or carry a row that a
 * function gives. Key columns hold no floating-point value at any depth. An unbounded input needs
 * {@link #withDelay}. No stable input, no splittable DoFn and no window expiration is needed.
 *
 * <p><b>State and cost.</b> Bounded: one shuffle of the elements with 33 bytes each, compressed; a
 * worker holds one shard of the batch at a time, so the number of shards follows the size of the
 * batch. Unbounded: 48 bytes for each remembered key, kept in buckets that are swept when the
 * watermark has moved by an eighth of the horizon; on Spark a bucket that no element comes to keeps
 * what it has. The distribution {@code rememberedKeysInBucket} shows their sizes.
 *
 * <p><b>Errors.</b> Options and schemas that cannot work are an {@link IllegalArgumentException}
 * when the pipeline is built. A row of another schema fails its bundle with {@link
 * dev.idem.transforms.fingerprint.UnexpectedSchemaException}.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * DeduplicateWithinWatermark.Result<Row> clicks =
 *     rows.apply(
 *         DeduplicateWithinWatermark.rows("session_id", "click_seq_num")
 *             .withDelay(Duration.standardMinutes(5)));
 * clicks.unique().apply(...);
 * clicks.conflicts().apply(...);
 * }</pre>
 *
 * @param <T> the type of the elements
 */
@AutoValue
@SuppressWarnings("AutoValueImmutableFields") // Lists are copied; Guava is no dependency.
public abstract class DeduplicateWithinWatermark<T>
    extends PTransform<PCollection<T>, DeduplicateWithinWatermark.Result<T>> {
  private static final int DEFAULT_SHARDS = 16;
  private static final int DEFAULT_BUCKETS = 1024;

  abstract SerializableFunction<T, Row> row();

  abstract boolean elementsAreRows();

  abstract @Nullable Schema rowSchema();

  abstract List<String> keyColumns();

  abstract List<String> notPayload();

  abstract @Nullable Duration horizon();

  abstract @Nullable Duration delay();

  abstract @Nullable Instant watermark();

  abstract @Nullable KeyMemory memory();

  abstract int shards();

  abstract int buckets();

  abstract @Nullable SerializableFunction<T, Position> position();

  abstract @Nullable Duration maxFutureSkew();

  abstract @Nullable Clock clock();

  abstract Builder<T> toBuilder();

  @AutoValue.Builder
  abstract static class Builder<T> {
    abstract Builder<T> setRow(SerializableFunction<T, Row> row);

    abstract Builder<T> setElementsAreRows(boolean elementsAreRows);

    abstract Builder<T> setRowSchema(Schema schema);

    abstract Builder<T> setKeyColumns(List<String> columns);

    abstract Builder<T> setNotPayload(List<String> columns);

    abstract Builder<T> setHorizon(Duration horizon);

    abstract Builder<T> setDelay(Duration delay);

    abstract Builder<T> setWatermark(Instant watermark);

    abstract Builder<T> setMemory(KeyMemory memory);

    abstract Builder<T> setShards(int shards);

    abstract Builder<T> setBuckets(int buckets);

    abstract Builder<T> setPosition(SerializableFunction<T, Position> position);

    abstract Builder<T> setMaxFutureSkew(Duration skew);

    abstract Builder<T> setClock(Clock clock);

    abstract DeduplicateWithinWatermark<T> build();
  }

  /** Deduplicates rows by one or more of their columns; the schema is that of the input. */
  public static DeduplicateWithinWatermark<Row> rows(String... keyColumns) {
    return create((SerializableFunction<Row, Row>) row -> row, true, keyColumns);
  }

  /**
   * Deduplicates elements by columns of the row that each of them carries. {@link #withRowSchema}
   * is needed too.
   *
   * @param row gives the row of an element, or null for one that is to be passed through
   * @param keyColumns the columns that identify an element
   * @param <T> the type of the elements
   */
  public static <T> DeduplicateWithinWatermark<T> by(
      SerializableFunction<T, Row> row, String... keyColumns) {
    return create(row, false, keyColumns);
  }

  private static <T> DeduplicateWithinWatermark<T> create(
      SerializableFunction<T, Row> row, boolean elementsAreRows, String... keyColumns) {
    if (keyColumns.length == 0) {
      throw DedupErrors.noKeyColumns();
    }
    return new AutoValue_DeduplicateWithinWatermark.Builder<T>()
        .setRow(row)
        .setElementsAreRows(elementsAreRows)
        .setKeyColumns(List.of(keyColumns))
        .setNotPayload(List.of())
        .setShards(DEFAULT_SHARDS)
        .setBuckets(DEFAULT_BUCKETS)
        .build();
  }

  /**
   * Gives the schema of the rows that the elements carry; needed with {@link #by}, so that key
   * columns are checked before anything runs.
   */
  public DeduplicateWithinWatermark<T> withRowSchema(Schema schema) {
    return toBuilder().setRowSchema(schema).build();
  }

  /**
   * Sets how long a key is remembered after the greatest event time of its copies; zero or more,
   * default the delay. Longer finds copies that lie further apart, and remembers more.
   */
  public DeduplicateWithinWatermark<T> withHorizon(Duration horizon) {
    return toBuilder().setHorizon(notNegative("Horizon", horizon)).build();
  }

  /**
   * Sets how far the watermark of an unbounded input stays behind its greatest event time; zero or
   * more, no default. Longer makes fewer elements late, and remembers more. For a bounded input it
   * is only the default of the horizon.
   */
  public DeduplicateWithinWatermark<T> withDelay(Duration delay) {
    return toBuilder().setDelay(notNegative("Delay", delay)).build();
  }

  /**
   * Sets the watermark of a bounded input, the same at every attempt; default none, with which
   * nothing is late and nothing of the memory has expired.
   */
  public DeduplicateWithinWatermark<T> withWatermark(Instant watermark) {
    return toBuilder().setWatermark(watermark).build();
  }

  /** Sets what earlier batches remember, for a bounded input; default nothing. */
  public DeduplicateWithinWatermark<T> withMemory(KeyMemory memory) {
    return toBuilder().setMemory(memory).build();
  }

  /**
   * Sets the number of shards of a bounded input; a power of two, default 16. A worker holds one
   * shard in memory: tens of megabytes are a good size.
   */
  public DeduplicateWithinWatermark<T> withShards(int shards) {
    return toBuilder().setShards(powerOfTwo("Shards", shards)).build();
  }

  /**
   * Sets the number of buckets of an unbounded input; a power of two, default 1024. At most a few
   * hundred remembered keys a bucket are best: runners copy or encode a bucket as a whole. It
   * cannot be changed in a running pipeline.
   */
  public DeduplicateWithinWatermark<T> withBuckets(int buckets) {
    return toBuilder().setBuckets(powerOfTwo("Buckets", buckets)).build();
  }

  /**
   * Orders copies of equal event time in a bounded input by their position, and the whole encoding
   * of their rows after that; default the rows alone. Needed where elements carry more than their
   * row and a replay must keep the same one. The function may return null, which comes first.
   */
  public DeduplicateWithinWatermark<T> withPosition(SerializableFunction<T, Position> position) {
    return toBuilder().setPosition(position).build();
  }

  /**
   * Names columns that may differ between copies of one element, such as the offset it was read
   * from; default none. Key columns never count.
   */
  public DeduplicateWithinWatermark<T> withoutPayload(String... columns) {
    return toBuilder().setNotPayload(List.of(columns)).build();
  }

  /**
   * Keeps elements that are stamped further ahead of {@code clock} from moving the watermark of an
   * unbounded input: one record with a wrong clock would make all honest ones late. They are
   * deduplicated like others. Zero or more; default no bound.
   *
   * @param skew how far ahead an event time may be
   * @param clock a serialisable clock, such as {@link Clock#systemUTC()}
   */
  public DeduplicateWithinWatermark<T> withMaxFutureSkew(Duration skew, Clock clock) {
    if (!(clock instanceof Serializable)) {
      throw DedupErrors.clockNotSerializable(clock.getClass());
    }
    return toBuilder().setMaxFutureSkew(notNegative("Skew", skew)).setClock(clock).build();
  }

  /**
   * Returns this transform with one output instead of several: what was decided about each element,
   * at the element's timestamp. For pipelines that must have a single leaf.
   */
  public PTransform<PCollection<T>, PCollection<Verdict<T>>> verdicts() {
    return new PTransform<>() {
      @Override
      public PCollection<Verdict<T>> expand(PCollection<T> input) {
        return input
            .apply(
                "Decide", mapVerdicts((SerializableFunction<Verdict<T>, Verdict<T>>) each -> each))
            .setCoder(VerdictCoder.of(input.getCoder()));
      }
    };
  }

  /**
   * Like {@link #verdicts}, with what {@code function} makes of each verdict: one step and one
   * object an element less. The output's coder is to be set.
   *
   * @param function must be deterministic
   * @param <OutputT> the type of the output's elements
   */
  public <OutputT> PTransform<PCollection<T>, PCollection<OutputT>> mapVerdicts(
      SerializableFunction<Verdict<T>, OutputT> function) {
    return new DecideVerdicts<>(this, function);
  }

  @Override
  public Result<T> expand(PCollection<T> input) {
    SplitVerdictsFn<T> split = new SplitVerdictsFn<>();
    PCollectionTuple outputs =
        input
            .apply("Decide", verdicts())
            .apply("SplitByKind", ParDo.of(split).withOutputTags(NoOutput.TAG, split.tags()));
    return new Result<>(outputs, split, input.getCoder());
  }

  private static Duration notNegative(String thing, Duration duration) {
    if (duration.isShorterThan(Duration.ZERO)) {
      throw DedupErrors.negative(thing, duration);
    }
    return duration;
  }

  private static int powerOfTwo(String thing, int number) {
    if (number < 1 || Integer.bitCount(number) != 1) {
      throw DedupErrors.notPowerOfTwo(thing, number);
    }
    return number;
  }

  /**
   * The outputs of {@link DeduplicateWithinWatermark}; each element is in exactly one of them.
   *
   * @param <T> the type of the elements
   */
  public static final class Result<T> implements POutput {
    private final Pipeline pipeline;
    private final Map<TupleTag<?>, PValue> outputs = new LinkedHashMap<>();
    private final Map<Verdict.Kind, PCollection<T>> elements = new LinkedHashMap<>();
    private final PCollection<Remembered> remembered;

    private Result(PCollectionTuple tuple, SplitVerdictsFn<T> split, Coder<T> coder) {
      this.pipeline = tuple.getPipeline();
      for (Verdict.Kind kind : Verdict.Kind.values()) {
        PCollection<T> output = tuple.get(split.elements(kind)).setCoder(coder);
        elements.put(kind, output);
        outputs.put(split.elements(kind), output);
      }
      this.remembered = tuple.get(split.remembered()).setCoder(RememberedCoder.of());
      outputs.put(split.remembered(), remembered);
    }

    /** Returns the elements that go on. */
    public PCollection<T> unique() {
      return elements.get(Verdict.Kind.UNIQUE);
    }

    /** Returns the copies of unique or remembered elements. */
    public PCollection<T> duplicates() {
      return elements.get(Verdict.Kind.DUPLICATE);
    }

    /** Returns the elements with a known key but another payload. */
    public PCollection<T> conflicts() {
      return elements.get(Verdict.Kind.CONFLICT);
    }

    /** Returns the elements before the watermark whose keys are not remembered. */
    public PCollection<T> late() {
      return elements.get(Verdict.Kind.LATE);
    }

    /** Returns the elements that have a null in a key column. */
    public PCollection<T> invalid() {
      return elements.get(Verdict.Kind.INVALID);
    }

    /** Returns the elements that carry no row. */
    public PCollection<T> others() {
      return elements.get(Verdict.Kind.OTHER);
    }

    /** Returns what has to be added to the memory, or to replace what it holds of a key. */
    public PCollection<Remembered> remembered() {
      return remembered;
    }

    @Override
    public Pipeline getPipeline() {
      return pipeline;
    }

    @Override
    public Map<TupleTag<?>, PValue> expand() {
      return Map.copyOf(outputs);
    }

    @Override
    public void finishSpecifyingOutput(
        String transformName, PInput input, PTransform<?, ?> transform) {
      // Coders are set and nothing is left to be named.
    }
  }
}
