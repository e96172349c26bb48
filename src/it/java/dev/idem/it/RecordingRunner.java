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
package dev.idem.it;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.beam.runners.core.construction.SerializablePipelineOptions;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.PipelineRunner;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.runners.TransformHierarchy;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.apache.beam.sdk.util.construction.PipelineTranslation;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.PValue;

/**
 * The Direct runner, which first writes to files what runners ship of a pipeline: its options,
 * every transform and coder in Java's serialisation, which Beam compresses and this does not, the
 * portable form of the pipeline, and its display data.
 */
public final class RecordingRunner extends PipelineRunner<PipelineResult> {

  /** The environment variable that names the directory of the files. */
  static final String DIRECTORY = "IDEM_IT_RECORDED";

  private final PipelineOptions options;

  private RecordingRunner(PipelineOptions options) {
    this.options = options;
  }

  /** Makes the runner, as Beam does for {@code --runner}. */
  public static RecordingRunner fromOptions(PipelineOptions options) {
    return new RecordingRunner(options);
  }

  @Override
  public PipelineResult run(Pipeline pipeline) {
    record("options", serialized(new SerializablePipelineOptions(options)));
    record("proto", text(PipelineTranslation.toProto(pipeline)));
    pipeline.traverseTopologically(
        new Pipeline.PipelineVisitor.Defaults() {
          @Override
          public CompositeBehavior enterCompositeTransform(TransformHierarchy.Node node) {
            if (node.getTransform() != null) {
              record(node.getTransform());
            }
            return CompositeBehavior.ENTER_TRANSFORM;
          }

          @Override
          public void visitPrimitiveTransform(TransformHierarchy.Node node) {
            record(node.getTransform());
          }

          @Override
          public void visitValue(PValue value, TransformHierarchy.Node producer) {
            if (value instanceof PCollection<?> collection) {
              Coder<?> coder = collection.getCoder();
              RecordingRunner.record("coder", serialized(coder));
            }
          }
        });
    return DirectRunner.fromOptions(options).run(pipeline);
  }

  private static void record(PTransform<?, ?> transform) {
    record("transform", serialized(transform));
    record("display", text(DisplayData.from(transform).asMap()));
  }

  private static byte[] text(Object value) {
    return value.toString().getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] serialized(Serializable value) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void record(String kind, byte[] bytes) {
    try {
      Files.write(Files.createTempFile(Path.of(System.getenv(DIRECTORY)), kind + "-", ""), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
