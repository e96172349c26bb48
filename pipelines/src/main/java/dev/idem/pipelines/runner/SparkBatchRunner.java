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

import org.apache.beam.runners.spark.SparkContextOptions;
import org.apache.beam.runners.spark.SparkRunner;
import org.apache.beam.runners.spark.coders.SparkRunnerKryoRegistrator;
import org.apache.beam.sdk.options.PipelineOptions;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.serializer.KryoSerializer;

/** Runs pipelines on one Spark context, made for the first and stopped at the end. */
final class SparkBatchRunner extends BatchRunner {

  private final JavaSparkContext context;

  SparkBatchRunner(String... arguments) {
    super(arguments);
    SparkContextOptions options =
        PipelineOptionsFactory.fromArgs(arguments).as(SparkContextOptions.class);
    SparkConf conf = new SparkConf().setAppName("idem");
    conf.setIfMissing("spark.ui.enabled", "false");
    conf.setIfMissing("spark.serializer", KryoSerializer.class.getName());
    conf.setIfMissing("spark.kryo.registrator", SparkRunnerKryoRegistrator.class.getName());
    conf.setIfMissing("spark.master", options.getSparkMaster());
    if (conf.get("spark.master").startsWith("local")) {
      conf.setIfMissing("spark.driver.host", "127.0.0.1");
      conf.setIfMissing("spark.driver.bindAddress", "127.0.0.1");
    }
    context = new JavaSparkContext(conf);
  }

  @Override
  void configure(PipelineOptions options) {
    SparkContextOptions spark = options.as(SparkContextOptions.class);
    spark.setRunner(SparkRunner.class);
    spark.setUsesProvidedSparkContext(true);
    spark.setProvidedSparkContext(context);
  }

  @Override
  public void close() {
    context.close();
  }
}
