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
package dev.idem.pipelines.source;

import dev.idem.io.kafka.KafkaConfig;
import java.nio.file.Path;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Option;

/** The options that say how a Kafka cluster is reached. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class KafkaClusterOptions {

  @Option(
      names = "--bootstrapServers",
      paramLabel = "HOST:PORT,..",
      description = "The Kafka cluster.")
  private @Nullable String bootstrapServers;

  @Option(
      names = "--kafkaConfig",
      paramLabel = "FILE",
      description = "Any client settings; values may be $${env:NAME} or $${file:PATH}.")
  private @Nullable Path kafkaConfig;

  /** Returns the settings of clients. */
  public KafkaConfig config() {
    if (kafkaConfig == null && bootstrapServers == null) {
      throw new IllegalArgumentException(
          "--bootstrapServers or --kafkaConfig must be given, but neither was.");
    }
    if (kafkaConfig == null) {
      return KafkaConfig.of(bootstrapServers);
    }
    KafkaConfig config = KafkaConfig.load(kafkaConfig);
    return bootstrapServers == null ? config : config.with("bootstrap.servers", bootstrapServers);
  }
}
