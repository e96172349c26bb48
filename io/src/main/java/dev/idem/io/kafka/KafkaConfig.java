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
package dev.idem.io.kafka;

import dev.idem.io.file.References;
import dev.idem.io.file.UnresolvedReferenceException;
import java.io.IOException;
import java.io.Reader;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;

/**
 * The settings of Kafka clients, made so that no secret travels with a pipeline.
 *
 * <p>A value may hold {@code ${env:NAME}} and {@code ${file:PATH}}; a reference is followed where
 * and when a client is created (on the worker, from its environment and file system) and its result
 * is never kept. The text of a file is taken without a line break at its end.
 *
 * <p>Settings {@linkplain #load loaded from a file} stay in it: only its absolute path, the names
 * of its settings and {@code bootstrap.servers} are kept, and the file is read again wherever a
 * client is created. Such a file may therefore hold literal secrets, and must be readable at the
 * same path on every worker. A literal secret given by {@link #with} is refused.
 *
 * <p><b>Guarantee.</b> No secret is in {@link #toString()}, in the serialised form or in the
 * message of an error of this package; of a file no value is, except {@code bootstrap.servers}.
 * Kafka's own clients write their settings to the log at level INFO, with passwords hidden; set the
 * logger {@code org.apache.kafka} to WARN to be without the other values too.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * KafkaConfig.of("broker:9093")
 *     .with("security.protocol", "SASL_SSL")
 *     .with("sasl.mechanism", "PLAIN")
 *     .with("sasl.jaas.config", "${file:/run/secrets/kafka-jaas}");
 * }</pre>
 */
public final class KafkaConfig implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String BOOTSTRAP = CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;
  private static final String NO_FILE = "";

  private final String file;
  private final TreeSet<String> namesInFile;
  private final TreeMap<String, String> given;

  private KafkaConfig(String file, SortedSet<String> namesInFile, Map<String, String> given) {
    this.file = file;
    this.namesInFile = new TreeSet<>(namesInFile);
    this.given = new TreeMap<>(given);
  }

  /** Returns settings that name the brokers to begin with, as {@code host:port,host:port}. */
  public static KafkaConfig of(String bootstrapServers) {
    return new KafkaConfig(NO_FILE, new TreeSet<>(), Map.of()).with(BOOTSTRAP, bootstrapServers);
  }

  /**
   * Returns the settings of a properties file in UTF-8, which is read now to be checked and again
   * wherever a client is created.
   */
  public static KafkaConfig load(Path properties) {
    String path = properties.toAbsolutePath().normalize().toString();
    Map<String, String> settings = read(path);
    Map<String, String> shown = new TreeMap<>();
    if (settings.containsKey(BOOTSTRAP)) {
      shown.put(BOOTSTRAP, settings.get(BOOTSTRAP));
    }
    return new KafkaConfig(path, new TreeSet<>(settings.keySet()), shown);
  }

  /**
   * Returns these settings with one more, which replaces one of the same name. A secret must be a
   * reference: all of the value, or in {@code sasl.jaas.config} the values of the options that may
   * be secret.
   */
  public KafkaConfig with(String name, String value) {
    if (name.isBlank()) {
      throw new IllegalArgumentException(
          "Kafka setting must have a name, but was: \"\". Use a name from Kafka's documentation.");
    }
    if (Secrets.isLiteralSecret(name, value)) {
      throw new IllegalArgumentException(
          "Kafka setting \"%s\" must be given as a reference, but was: a literal (not shown). Use ${file:PATH} or ${env:NAME}, or load the settings from a file."
              .formatted(name));
    }
    Map<String, String> more = new TreeMap<>(given);
    more.put(name, value);
    return new KafkaConfig(file, namesInFile, more);
  }

  /**
   * Returns what {@code KafkaIO.read().withConsumerFactoryFn} takes so that these settings reach
   * its consumers without being part of the pipeline. They win over those of {@code KafkaIO},
   * except for deserializers and auto-commit.
   */
  public SerializableFunction<Map<String, Object>, Consumer<byte[], byte[]>> consumerFactory() {
    KafkaConfig config = this;
    return own -> KafkaClients.consumerForKafkaIO(config, own);
  }

  /**
   * Returns what {@code KafkaIO.write().withProducerFactoryFn} takes so that these settings reach
   * its producers without being part of the pipeline. They win over those of {@code KafkaIO},
   * except for serializers.
   *
   * @param <K> type of keys
   * @param <V> type of values
   */
  public <K, V> SerializableFunction<Map<String, Object>, Producer<K, V>> producerFactory() {
    KafkaConfig config = this;
    return own -> KafkaClients.producerForKafkaIO(config, own);
  }

  /** Returns the names of all settings. */
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>(namesInFile);
    names.addAll(given.keySet());
    return names;
  }

  /** Returns the brokers to begin with as written, a reference not followed; empty if not set. */
  public String bootstrapServers() {
    return given.getOrDefault(BOOTSTRAP, "");
  }

  boolean isPlaced() {
    return !bootstrapServers().isBlank();
  }

  /** Returns the settings with references followed; the result must not be kept. */
  Map<String, String> resolve() {
    Map<String, String> all = new HashMap<>();
    if (!file.equals(NO_FILE)) {
      all.putAll(read(file));
    }
    all.putAll(given);
    Map<String, String> resolved = new HashMap<>();
    all.forEach((name, value) -> resolved.put(name, follow(name, value)));
    return resolved;
  }

  private static String follow(String setting, String value) {
    try {
      return References.follow(value);
    } catch (UnresolvedReferenceException e) {
      throw e.isEnvironment()
          ? KafkaErrors.noEnvironment(setting, e.name())
          : KafkaErrors.noFile(setting, e.name(), e.getCause());
    }
  }

  private static Map<String, String> read(String path) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(Path.of(path))) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      throw KafkaErrors.noSettingsFile(path, e);
    }
    Map<String, String> settings = new HashMap<>();
    properties.stringPropertyNames().forEach(n -> settings.put(n, properties.getProperty(n)));
    return settings;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KafkaConfig that
        && file.equals(that.file)
        && namesInFile.equals(that.namesInFile)
        && given.equals(that.given);
  }

  @Override
  public int hashCode() {
    return Objects.hash(file, namesInFile, given);
  }

  @Override
  public String toString() {
    return "KafkaConfig{%s=%s, names=%s%s}"
        .formatted(
            BOOTSTRAP, bootstrapServers(), names(), file.equals(NO_FILE) ? "" : ", file=" + file);
  }
}
