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

import dev.idem.testing.RunnerUnderTest;
import dev.idem.transforms.external.DeadLetter;
import dev.idem.transforms.external.WriteIdempotently;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.coders.SerializableCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.TypeDescriptor;
import org.joda.time.Duration;

/** Pipelines that send notes. */
final class Sending {

  static final SerializableCoder<Note> NOTES = SerializableCoder.of(TypeDescriptor.of(Note.class));

  private Sending() {}

  /** What one run put out. */
  record Outputs(List<Note> written, List<Note> alreadyWritten, List<DeadLetter<Note>> dead) {}

  static WriteHttpEffects<Note> post(String url) {
    return keyed(HttpEffectIO.<Note>post(url)).withBody(Note::body);
  }

  static WriteHttpEffects<Note> keyed(WriteHttpEffects<Note> write) {
    return write
        .named("app/server")
        .keyedBy(Note::id, StringUtf8Coder.of())
        .sequencedBy(Note::version, VarLongCoder.of())
        .withRetries(8, Duration.millis(1), Duration.millis(4))
        .withCircuitBreaker(1_000, Duration.millis(1));
  }

  static Outputs run(List<Note> notes, WriteHttpEffects<Note> write) {
    return run(RunnerUnderTest.DIRECT.options(), notes, write);
  }

  static Outputs run(PipelineOptions options, List<Note> notes, WriteHttpEffects<Note> write) {
    Pipeline pipeline = Pipeline.create(options);
    WriteIdempotently.Result<Note> result =
        pipeline.apply(Create.of(notes).withCoder(NOTES)).apply(write);
    Gather<Note> written = Gather.of(result.written());
    Gather<Note> already = Gather.of(result.alreadyWritten());
    Gather<DeadLetter<Note>> dead = Gather.of(result.deadLetters());
    pipeline.run().waitUntilFinish();
    return new Outputs(written.take(), already.take(), dead.take());
  }

  /** Brings an output of a pipeline of this JVM back to the test. */
  private static final class Gather<T> extends DoFn<T, Void> {
    private static final Map<String, Queue<Object>> RESULTS = new ConcurrentHashMap<>();

    private final String id = UUID.randomUUID().toString();

    static <T> Gather<T> of(PCollection<T> output) {
      Gather<T> gather = new Gather<>();
      RESULTS.put(gather.id, new ConcurrentLinkedQueue<>());
      output.apply("Gather" + output.getName(), ParDo.of(gather));
      return gather;
    }

    @ProcessElement
    public void process(@Element T element) {
      RESULTS.get(id).add(element);
    }

    @SuppressWarnings("unchecked")
    List<T> take() {
      return RESULTS.remove(id).stream().map(each -> (T) each).toList();
    }
  }
}
