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
package dev.idem.io.http;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.http.EffectServer.Fault;
import dev.idem.testing.Covers;
import dev.idem.testing.RunnerUnderTest;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.beam.runners.spark.SparkPipelineOptions;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.joda.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A server that closes one in ten connections, most of them after the effect, and then is busy with
 * that first request for a while; and a run that ends at some point and is run again.
 */
class HttpCrashPointsTest {

  private static final int NOTES = 1_000;

  /** Counts what bodies were made, by test, since functions are serialised. */
  private static final Map<String, AtomicInteger> BODIES = new ConcurrentHashMap<>();

  /** When the first run ends. */
  enum Point {
    BEFORE_WRITE(0),
    MID_BATCH(NOTES / 2),
    AFTER_WRITE_BEFORE_COMMIT(Integer.MAX_VALUE),
    AFTER_COMMIT(Integer.MAX_VALUE);

    private final int bodies;

    Point(int bodies) {
      this.bodies = bodies;
    }
  }

  static Stream<Arguments> pointsAndRunners() {
    Stream<Arguments> direct =
        Stream.of(Point.values()).map(point -> Arguments.of(point, RunnerUnderTest.DIRECT));
    return Stream.concat(direct, Stream.of(Arguments.of(Point.MID_BATCH, RunnerUnderTest.SPARK)));
  }

  private static EffectServer lossyServer() throws Exception {
    long seed = System.nanoTime();
    System.out.println("HttpCrashPointsTest seed " + seed);
    Random random = new Random(seed);
    return new EffectServer(
        (number, request) ->
            random.nextInt(10) > 0
                ? Fault.NONE
                : random.nextInt(4) == 0 ? Fault.REQUEST_LOST : Fault.running(random.nextInt(3)));
  }

  private static void run(
      RunnerUnderTest runner, WriteHttpEffects<Note> write, List<Note> notes, boolean fail) {
    Pipeline pipeline = Pipeline.create(runner.options());
    pipeline
        .apply(Create.of(notes).withCoder(Sending.NOTES))
        .apply(write)
        .written()
        .apply(ParDo.of(new Next(fail)));
    pipeline.run().waitUntilFinish();
  }

  /** The step after the write, which fails. */
  private static final class Next extends DoFn<Note, Void> {
    private final boolean fail;
    private boolean hasNotes;

    Next(boolean fail) {
      this.fail = fail;
    }

    @ProcessElement
    public void process(@Element Note note) {
      hasNotes |= note.version() > 0;
    }

    @FinishBundle
    public void finish() {
      if (fail && hasNotes) {
        throw new IllegalStateException("killed");
      }
    }
  }

  @Covers.Row({61, 72})
  @ParameterizedTest
  @MethodSource("pointsAndRunners")
  void eachKeyHasOneEffectWhereverTheFirstRunEnds(Point point, RunnerUnderTest runner)
      throws Exception {
    String counter = UUID.randomUUID().toString();
    BODIES.put(counter, new AtomicInteger());
    List<Note> notes = Note.of(0, NOTES);
    try (EffectServer server = lossyServer()) {
      WriteHttpEffects<Note> write = Sending.post(server.url("/notes"));
      int limit = point.bodies;
      WriteHttpEffects<Note> killed =
          write.withBody(
              note -> {
                if (BODIES.get(counter).incrementAndGet() > limit) {
                  throw new IllegalStateException("killed");
                }
                return note.body();
              });

      if (point == Point.AFTER_COMMIT) {
        run(runner, write, notes, false);
      } else {
        assertThrows(
            RuntimeException.class,
            () -> run(runner, killed, notes, point == Point.AFTER_WRITE_BEFORE_COMMIT));
      }
      int after = server.effects().size();
      run(runner, write, notes, false);

      switch (point) {
        case BEFORE_WRITE -> assertThat(after, is(0));
        case MID_BATCH -> assertThat(after, is(greaterThan(100)));
        case AFTER_WRITE_BEFORE_COMMIT -> assertThat(after, is(greaterThan(0)));
        case AFTER_COMMIT -> assertThat(after, is(NOTES));
        default -> throw new IllegalStateException();
      }
      server.assertHasOnce("/notes", notes);
      assertThat("lost", server.answers.get(0), is(greaterThan(20)));
      assertThat("running", server.answers.get(409), is(greaterThan(5)));
    }
  }

  @Covers.Row({56, 61, 72})
  @Test
  void taskThatSparkRunsAgainHasNoSecondEffect() throws Exception {
    SparkPipelineOptions options = RunnerUnderTest.SPARK.options().as(SparkPipelineOptions.class);
    options.setSparkMaster("local[2,4]");
    String counter = UUID.randomUUID().toString();
    BODIES.put(counter, new AtomicInteger());
    List<Note> notes = Note.of(0, 200);
    try (EffectServer server = lossyServer()) {
      WriteHttpEffects<Note> write =
          Sending.post(server.url("/notes"))
              .withShards(2)
              .withRetries(12, Duration.millis(1), Duration.millis(4))
              .withBody(
                  note -> {
                    if (BODIES.get(counter).incrementAndGet() == 50) {
                      throw new IllegalStateException("killed");
                    }
                    return note.body();
                  });
      Pipeline pipeline = Pipeline.create(options);
      pipeline.apply(Create.of(notes).withCoder(Sending.NOTES)).apply(write);
      pipeline.run().waitUntilFinish();

      server.assertHasOnce("/notes", notes);
      assertThat(server.asked(), is(greaterThan(200)));
    }
  }
}
