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
package dev.idem.transforms.external;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.allOf;
import static org.hamcrest.Matchers.containsInAnyOrder;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.greaterThanOrEqualTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.transforms.Runner;
import dev.idem.transforms.external.Receiver.Fault;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.DoubleCoder;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.testing.PAssert;
import org.apache.beam.sdk.testing.TestStream;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.Flatten;
import org.apache.beam.sdk.transforms.Wait;
import org.apache.beam.sdk.transforms.windowing.FixedWindows;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;
import org.apache.beam.sdk.transforms.windowing.Window;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PCollectionList;
import org.apache.beam.sdk.values.TimestampedValue;
import org.apache.beam.sdk.values.TypeDescriptor;
import org.joda.time.Duration;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class WriteIdempotentlyTest {

  private static final SerializableCoder<Order> ORDERS =
      SerializableCoder.of(TypeDescriptor.of(Order.class));

  private static Order order(int id, long version) {
    return new Order("o" + id, version, "text " + id + " " + version);
  }

  private static List<Order> orders(int from, int to) {
    return IntStream.range(from, to).mapToObj(id -> order(id, 1)).toList();
  }

  private static WriteIdempotently<Order> write(Receiver receiver) {
    return WriteIdempotently.to(receiver.target())
        .named("orders/receiver")
        .keyedBy(Order::id, StringUtf8Coder.of())
        .sequencedBy(Order::version, VarLongCoder.of())
        .withRetries(12, Duration.millis(1), Duration.millis(4))
        .withCircuitBreaker(1_000, Duration.millis(1));
  }

  /** What one run of a bounded pipeline put out. */
  private record Outputs(
      List<Order> written,
      List<Order> alreadyWritten,
      List<Order> superseded,
      List<DeadLetter<Order>> deadLetters) {}

  private static Outputs run(Runner runner, List<Order> orders, WriteIdempotently<Order> write) {
    Pipeline pipeline = runner.newPipeline();
    WriteIdempotently.Result<Order> result =
        pipeline.apply(Create.of(orders).withCoder(ORDERS)).apply(write);
    Gathered<Order> written = Gathered.of(result.written());
    Gathered<Order> already = Gathered.of(result.alreadyWritten());
    Gathered<Order> superseded = Gathered.of(result.superseded());
    Gathered<DeadLetter<Order>> dead = Gathered.of(result.deadLetters());
    pipeline.run().waitUntilFinish();
    return new Outputs(written.take(), already.take(), superseded.take(), dead.take());
  }

  private static void assertHolds(Receiver receiver, List<Order> orders) {
    List<Order> held = new ArrayList<>(receiver.effects.values());
    assertThat("count", held.size(), is(orders.size()));
    assertThat("distinct", new HashSet<>(held).size(), is(orders.size()));
    assertThat("values", new HashSet<>(held), equalTo(new HashSet<>(orders)));
  }

  @ParameterizedTest
  @EnumSource
  void everyRecordIsWrittenOnceInTheOrderOfKeyAndSequence(Runner runner) {
    List<Order> orders = new ArrayList<>();
    for (int id = 0; id < 300; id++) {
      orders.addAll(List.of(order(id, 2), order(id, 10), order(id, 1)));
    }
    Collections.shuffle(orders, new Random(3));
    Receiver receiver = new Receiver(request -> Fault.NONE);

    Outputs outputs = run(runner, orders, write(receiver).withBatchSize(50));

    assertHolds(receiver, orders);
    assertThat(outputs.written(), containsInAnyOrder(orders.toArray()));
    assertThat(outputs.alreadyWritten(), is(empty()));
    assertThat(outputs.deadLetters(), is(empty()));
    for (List<Order> request : receiver.requests) {
      List<Order> sorted = new ArrayList<>(request);
      sorted.sort(Comparator.comparing(Order::id).thenComparing(Order::version));
      assertThat(request, equalTo(sorted));
      assertThat(request.size(), is(lessThanOrEqualTo(50)));
    }
  }

  @Covers.Row({13, 56, 72})
  @ParameterizedTest
  @EnumSource
  void requestsAndAnswersThatAreLostLeaveOneEffectEach(Runner runner) {
    long seed = System.nanoTime();
    System.out.println("WriteIdempotentlyTest seed " + seed);
    Random random = new Random(seed);
    Receiver receiver =
        new Receiver(
            request -> {
              Fault[] faults = Fault.values();
              return random.nextInt(10) < 4 ? faults[random.nextInt(faults.length)] : Fault.NONE;
            });
    List<Order> orders = orders(0, 1_000);

    Outputs first = run(runner, orders, write(receiver).withBatchSize(40));
    int requests = receiver.requests.size();
    Outputs second = run(runner, orders, write(receiver).withBatchSize(70));

    assertHolds(receiver, orders);
    List<Order> done = new ArrayList<>(first.written());
    done.addAll(first.alreadyWritten());
    assertThat(done, containsInAnyOrder(orders.toArray()));
    assertThat(second.written(), is(empty()));
    assertThat(second.alreadyWritten(), containsInAnyOrder(orders.toArray()));
    assertThat(receiver.repeated.size(), is(greaterThanOrEqualTo(1_000)));
    assertThat(requests, is(greaterThan(25)));
    // One client a bundle at a time, of which there are as many as workers: 2, or Direct's 3.
    assertThat(receiver.mostOpen, is(lessThanOrEqualTo(3)));
    assertThat(receiver.open, is(0));
  }

  @ParameterizedTest
  @EnumSource
  void badRecordsAreFoundAndAllOthersAreWritten(Runner runner) {
    List<Order> good = orders(0, 200);
    List<Order> orders = new ArrayList<>(good);
    List<Order> bad = List.of(new Order("x1", 1, "bad"), new Order("x2", 7, "bad"));
    orders.addAll(bad);
    Receiver receiver = new Receiver(request -> Fault.NONE);

    Outputs outputs = run(runner, orders, write(receiver));

    assertHolds(receiver, good);
    assertThat(outputs.written(), containsInAnyOrder(good.toArray()));
    List<DeadLetter<Order>> expected =
        bad.stream()
            .map(
                order ->
                    new DeadLetter<>(
                        order,
                        key(order),
                        RejectedRecordException.class.getName(),
                        "this order is bad",
                        1))
            .toList();
    assertThat(outputs.deadLetters(), containsInAnyOrder(expected.toArray()));
  }

  private static String key(Order order) {
    return new EffectFactory<>(
            "orders/receiver",
            ORDERS,
            new EffectFactory.Part<>(Order::id, StringUtf8Coder.of()),
            new EffectFactory.Part<>(Order::version, VarLongCoder.of()))
        .effect(order)
        .idempotencyKey();
  }

  @ParameterizedTest
  @EnumSource
  void onlyTheLatestRecordOfAKeyIsWrittenIfToldSo(Runner runner) {
    Order tie = new Order("o1", 9, "zzzz 1 9");
    List<Order> orders =
        List.of(order(1, 9), order(2, 3), tie, order(1, 5), order(2, 4), order(2, 4));
    Receiver receiver = new Receiver(request -> Fault.NONE);

    Outputs outputs = run(runner, orders, write(receiver).latestPerKey());

    assertHolds(receiver, List.of(tie, order(2, 4)));
    assertThat(outputs.written(), containsInAnyOrder(tie, order(2, 4)));
    assertThat(outputs.superseded(), containsInAnyOrder(order(1, 9), order(1, 5), order(2, 3)));
    assertThat(outputs.alreadyWritten(), containsInAnyOrder(order(2, 4)));
  }

  @ParameterizedTest
  @EnumSource
  void otherContentUnderOneKeyAndSequenceIsADeadLetter(Runner runner) {
    Order other = new Order("o1", 1, "aaa");
    Receiver receiver = new Receiver(request -> Fault.NONE);

    Outputs outputs = run(runner, List.of(order(1, 1), other, order(2, 1)), write(receiver));

    assertHolds(receiver, List.of(order(1, 1), order(2, 1)));
    assertThat(outputs.deadLetters().size(), is(1));
    assertThat(outputs.deadLetters().get(0).record(), is(other));
    assertThat(outputs.deadLetters().get(0).errorClass(), is("conflict"));
  }

  @Covers.Row(42)
  @Test
  void targetThatStaysDownFailsThePipeline() {
    Receiver receiver = new Receiver(request -> Fault.LOST);
    WriteIdempotently<Order> write =
        write(receiver).withShards(1).withRetries(4, Duration.millis(1), Duration.millis(2));

    var e =
        assertThrows(
            Pipeline.PipelineExecutionException.class,
            () -> run(Runner.DIRECT, orders(0, 10), write));

    assertThat(
        e.getCause().getMessage(),
        allOf(
            containsString("must take 10 records, but failed at each of 4 attempts"),
            containsString("request lost")));
    assertThat(e.getCause().getCause().getSuppressed().length, is(3));
    assertThat(receiver.requests.size(), is(4));
    assertThat(receiver.open, is(0));
  }

  @Test
  void receiverThatTakesAFewAtATimeIsNotDownAndIsNeverAskedEarlierThanItWants() {
    Receiver receiver = new Receiver(request -> Fault.TWO_ONLY);

    Outputs outputs =
        run(
            Runner.DIRECT,
            orders(0, 21),
            write(receiver).withShards(1).withRetries(2, Duration.millis(1), Duration.millis(2)));

    assertHolds(receiver, orders(0, 21));
    assertThat(outputs.written().size(), is(21));
    assertThat(receiver.requests.size(), is(11));
    for (int i = 1; i < receiver.times.size(); i++) {
      assertThat(
          receiver.times.get(i) - receiver.times.get(i - 1),
          is(greaterThanOrEqualTo(Receiver.PAUSE.toNanos())));
    }
  }

  @Test
  void targetThatIsDownIsLeftAlone() {
    Receiver receiver = new Receiver(request -> Fault.LOST);
    WriteIdempotently<Order> write =
        write(receiver)
            .withShards(1)
            .withRetries(3, Duration.millis(1), Duration.millis(2))
            .withCircuitBreaker(2, Duration.millis(50));

    assertThrows(
        Pipeline.PipelineExecutionException.class, () -> run(Runner.DIRECT, orders(0, 10), write));

    // The third attempt found the breaker open.
    assertThat(receiver.requests.size(), is(2));
  }

  @Test
  void recordsAreNotAppliedFasterThanTheRateLimit() {
    Receiver receiver = new Receiver(request -> Fault.NONE);
    long begun = System.nanoTime();

    run(
        Runner.DIRECT,
        orders(0, 30),
        write(receiver).withBatchSize(1).withRateLimit(1, Duration.millis(10)));

    assertHolds(receiver, orders(0, 30));
    assertThat(System.nanoTime() - begun, is(greaterThanOrEqualTo(290_000_000L)));
  }

  @Test
  void batchesHaveAtMostSoManyBytes() {
    Receiver receiver = new Receiver(request -> Fault.NONE);

    run(Runner.DIRECT, orders(0, 30), write(receiver).withShards(1).withBatchBytes(1));

    assertThat(receiver.requests.size(), is(30));
  }

  @Test
  void nextStepWaitsUntilAllIsWritten() {
    Receiver receiver = new Receiver(request -> Fault.NONE);
    Pipeline pipeline = Runner.DIRECT.newPipeline();
    WriteIdempotently.Result<Order> result =
        pipeline.apply(Create.of(orders(0, 100)).withCoder(ORDERS)).apply(write(receiver));
    Receiver invoices = new Receiver(request -> Fault.NONE);

    pipeline
        .apply("Invoices", Create.of(orders(0, 3)).withCoder(ORDERS))
        .apply(Wait.on(result.written()))
        .apply(
            "WriteInvoices",
            WriteIdempotently.to(new AfterAll(receiver.name, invoices.name))
                .named("invoices")
                .keyedBy(Order::id, StringUtf8Coder.of()));
    pipeline.run().waitUntilFinish();

    assertHolds(invoices, orders(0, 3));
  }

  /** Fails unless another receiver has all its effects. */
  private record AfterAll(String first, String then) implements IdempotentTarget<Order> {
    @Override
    public Client<Order> open() {
      if (Receiver.named(first).effects.size() != 100) {
        throw new IllegalStateException("too early");
      }
      return Receiver.named(then).target().open();
    }
  }

  @Test
  void unboundedInputIsWrittenInItsOwnWindows() {
    Instant start = Instant.EPOCH;
    Duration minute = Duration.standardMinutes(1);
    Receiver receiver = new Receiver(request -> request % 2 == 1 ? Fault.ANSWER_LOST : Fault.NONE);
    Pipeline pipeline = Runner.DIRECT.newPipeline();
    Order bad = new Order("x", 1, "bad");

    WriteIdempotently.Result<Order> result =
        pipeline
            .apply(
                TestStream.create(ORDERS)
                    .addElements(
                        TimestampedValue.of(order(2, 1), start),
                        TimestampedValue.of(order(1, 1), start.plus(minute)),
                        TimestampedValue.of(bad, start.plus(minute)))
                    .addElements(TimestampedValue.of(order(3, 1), start))
                    .advanceWatermarkToInfinity())
            .apply(Window.into(FixedWindows.of(minute)))
            .apply(write(receiver));

    PCollection<Order> all =
        PCollectionList.of(result.written())
            .and(result.alreadyWritten())
            .apply(Flatten.pCollections());
    PAssert.that(all)
        .inWindow(new IntervalWindow(start, minute))
        .containsInAnyOrder(order(2, 1), order(3, 1));
    PAssert.that(all)
        .inWindow(new IntervalWindow(start.plus(minute), minute))
        .containsInAnyOrder(order(1, 1));
    PAssert.that(result.deadLetters())
        .inWindow(new IntervalWindow(start.plus(minute), minute))
        .satisfies(
            letters -> {
              letters.forEach(letter -> assertThat(letter.record(), is(bad)));
              return null;
            });
    pipeline.run().waitUntilFinish();
    assertHolds(receiver, List.of(order(1, 1), order(2, 1), order(3, 1)));
  }

  @Test
  void incompleteOrUnsafeSettingsAreRefused() {
    Receiver receiver = new Receiver(request -> Fault.NONE);
    WriteIdempotently<Order> unnamed = WriteIdempotently.to(receiver.target());
    WriteIdempotently<Order> named = unnamed.named("orders");

    assertRefused(unnamed, "Namespace must be text that stays the same over restarts");
    assertRefused(named, "WriteIdempotently must know the key of a record");
    assertRefused(
        named.keyedBy(Order::id, StringUtf8Coder.of()).latestPerKey(),
        "WriteIdempotently.latestPerKey must know which record of a key is the latest");
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> named.keyedBy(order -> 1.0, DoubleCoder.of()));
    assertThat(e.getMessage(), containsString("Coder of the keys must be deterministic"));
    var shards = assertThrows(IllegalArgumentException.class, () -> named.withShards(3));
    assertThat(
        shards.getMessage(),
        is("Shards must be a power of two, but was: 3. Give 16, for example."));
  }

  private static void assertRefused(WriteIdempotently<Order> write, String message) {
    var e =
        assertThrows(IllegalArgumentException.class, () -> run(Runner.DIRECT, orders(0, 1), write));
    assertThat(e.getMessage(), containsString(message));
  }

  @Test
  void recordWithoutAKeyFailsThePipeline() {
    Receiver receiver = new Receiver(request -> Fault.NONE);

    var e =
        assertThrows(
            Pipeline.PipelineExecutionException.class,
            () -> run(Runner.DIRECT, List.of(new Order(null, 1, "no key")), write(receiver)));

    assertThat(e.getCause().getMessage(), containsString("Key of a record must not be null"));
    assertThat(receiver.requests, is(empty()));
  }
}
