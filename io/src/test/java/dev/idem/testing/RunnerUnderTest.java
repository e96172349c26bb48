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
package dev.idem.testing;

import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.runners.spark.SparkPipelineOptions;
import org.apache.beam.runners.spark.SparkRunner;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;

/** The runners on which bounded pipelines are tested. */
public enum RunnerUnderTest {
  /** Beam's Direct runner. */
  DIRECT {
    @Override
    public PipelineOptions options() {
      PipelineOptions options = PipelineOptionsFactory.create();
      options.setRunner(DirectRunner.class);
      return options;
    }
  },
  /** Beam's Spark runner with two threads in this JVM. */
  SPARK {
    @Override
    public PipelineOptions options() {
      SparkPipelineOptions options = PipelineOptionsFactory.as(SparkPipelineOptions.class);
      options.setRunner(SparkRunner.class);
      options.setSparkMaster("local[2]");
      return options;
    }
  };

  /** Returns new options that name the runner. */
  public abstract PipelineOptions options();
}
