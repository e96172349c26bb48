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
package dev.idem.transforms;

import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.runners.spark.SparkContextOptions;
import org.apache.beam.runners.spark.SparkRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;

/** The runners that bounded pipelines are tested on. */
public enum Runner {
  DIRECT {
    @Override
    public Pipeline newPipeline() {
      PipelineOptions options = PipelineOptionsFactory.create();
      options.setRunner(DirectRunner.class);
      return Pipeline.create(options);
    }
  },
  SPARK {
    @Override
    public Pipeline newPipeline() {
      SparkContextOptions options = PipelineOptionsFactory.as(SparkContextOptions.class);
      options.setRunner(SparkRunner.class);
      options.setUsesProvidedSparkContext(true);
      options.setProvidedSparkContext(SharedContext.INSTANCE);
      return Pipeline.create(options);
    }
  };

  /** Returns an empty pipeline of this runner. */
  public abstract Pipeline newPipeline();

  /** The one context of this JVM; Spark stops it when the JVM ends. */
  private static final class SharedContext {
    static final JavaSparkContext INSTANCE =
        new JavaSparkContext(
            new SparkConf()
                .setMaster("local[2]")
                .setAppName("transforms")
                .set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1")
                .set("spark.driver.bindAddress", "127.0.0.1"));
  }
}
