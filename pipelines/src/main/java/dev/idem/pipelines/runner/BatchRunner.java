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
package dev.idem.pipelines.runner;

import java.util.List;
import org.apache.beam.runners.direct.DirectOptions;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.PipelineResult;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;

/**
 * Runs one bounded pipeline after the other on the runner that the options name. What a runner can
 * keep between pipelines, it keeps: on Spark the context.
 */
public class BatchRunner implements AutoCloseable {

  private static final String SPARK = "SparkRunner";

  private final String[] arguments;

  BatchRunner(String... arguments) {
    this.arguments = arguments.clone();
  }

  /** Returns the runner for Beam's own options; the Direct runner if they name none. */
  public static BatchRunner of(String... arguments) {
    for (String argument : arguments) {
      if (argument.startsWith("--runner=") && argument.endsWith(SPARK)) {
        return new SparkBatchRunner(arguments);
      }
    }
    return new BatchRunner(arguments);
  }

  /**
   * Refuses options that Beam does not know, or values that it does not take, before anything is
   * touched.
   */
  public static void refuseUnknown(List<String> arguments) {
    try {
      PipelineOptionsFactory.fromArgs(arguments.toArray(String[]::new)).create();
    } catch (IllegalArgumentException e) {
      throw unknownToBeam(arguments.stream().map(each -> each.replaceFirst("=.*", "")).toList(), e);
    }
  }

  private static IllegalArgumentException unknownToBeam(
      List<String> options, IllegalArgumentException why) {
    return new IllegalArgumentException(
        "Options that the job does not know must be Beam's, but were: "
            + options
            + ". Correct their names or values. Beam says: "
            + why.getMessage().lines().findFirst().orElse(""),
        why);
  }

  /** Returns a new pipeline, to be run by {@link #run}. */
  public Pipeline pipeline(String name) {
    PipelineOptions options = PipelineOptionsFactory.fromArgs(arguments).create();
    options.setJobName(name);
    configure(options);
    return Pipeline.create(options);
  }

  /** Runs a pipeline to its end; what failed in it is thrown. */
  public void run(Pipeline pipeline) {
    PipelineResult.State state = pipeline.run().waitUntilFinish();
    if (state != PipelineResult.State.DONE) {
      throw new IllegalStateException(
          "Pipeline must end in state DONE, but was: " + state + ". Read the runner's log.");
    }
  }

  void configure(PipelineOptions options) {
    if (options.getRunner() == null || options.getRunner() == DirectRunner.class) {
      options.setRunner(DirectRunner.class);
      // They encode every element of every stage; only a user who looks for a fault asks for them.
      DirectOptions direct = options.as(DirectOptions.class);
      direct.setEnforceImmutability(asked("--enforceImmutability"));
      direct.setEnforceEncodability(asked("--enforceEncodability"));
    }
  }

  private boolean asked(String option) {
    for (String argument : arguments) {
      if (argument.equals(option) || argument.equals(option + "=true")) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void close() {}
}
