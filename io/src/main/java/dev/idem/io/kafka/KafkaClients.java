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

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Creates Kafka's clients, the only place where settings are resolved. */
@Internal
public final class KafkaClients {
  private static final String API_TIMEOUT = CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG;
  private static final String REQUEST_TIMEOUT = CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG;
  private static final int DEFAULT_API_TIMEOUT_MS = 60_000;
  private static final int DEFAULT_REQUEST_TIMEOUT_MS = 30_000;

  /**
   * Sized for ranges that are read to their end; each may be overridden. A range lies below the end
   * of its partition when it is read, so nothing is gained by a broker that waits for more records;
   * a consumer that fetches ahead to that end would hold the next range up for as long.
   */
  private static final Map<String, String> READ_DEFAULTS =
      Map.of(
          ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
          String.valueOf(4 << 20),
          ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
          "5000",
          ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG,
          "10",
          ConsumerConfig.RECEIVE_BUFFER_CONFIG,
          String.valueOf(1 << 20),
          CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG,
          "false");

  /** What exact ranges depend on; another value is refused. */
  private static final Map<String, String> READ_RULES =
      Map.of(
          ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none",
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false",
          ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false",
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName(),
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());

  /** What a write that may be repeated depends on; another value is refused. */
  private static final Map<String, String> WRITE_RULES =
      Map.of(
          ProducerConfig.ACKS_CONFIG,
          "all",
          ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
          "true",
          ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
          ByteArraySerializer.class.getName(),
          ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
          ByteArraySerializer.class.getName());

  private static final String ACKS_OF_ALL = "-1";

  /** A new producer waits for it once, before it is connected to its coordinator. */
  private static final String QUICK_BACKOFF_MS = "10";

  /** Ranges are read without a group, so a file shared with other consumers may name one. */
  private static final Set<String> GROUP_SETTINGS =
      Set.of(
          ConsumerConfig.GROUP_ID_CONFIG,
          ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
          ConsumerConfig.GROUP_PROTOCOL_CONFIG,
          ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG);

  private static final Set<String> OWN_TO_KAFKA_IO =
      Set.of(
          ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
          ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG);

  private static final Pattern NAMED = Pattern.compile("for configuration ([\\w.]+)");

  private KafkaClients() {}

  /** Returns a consumer that reads exact ranges. */
  public static Consumer<byte[], byte[]> consumer(KafkaConfig config) {
    Map<String, String> settings = forClient(config.resolve(), ConsumerConfig.configNames());
    settings.keySet().removeAll(GROUP_SETTINGS);
    READ_DEFAULTS.forEach(settings::putIfAbsent);
    READ_RULES.forEach((name, rule) -> impose(settings, name, rule, "exact ranges"));
    return create("consumer", settings, KafkaConsumer::new);
  }

  /** Returns a producer whose records are acknowledged by all replicas in sync, in their order. */
  public static Producer<byte[], byte[]> producer(KafkaConfig config) {
    return create("producer", forWriting(config), KafkaProducer::new);
  }

  /** Returns a producer for transactions, which are still to be initialised. */
  public static Producer<byte[], byte[]> transactionalProducer(
      KafkaConfig config, String transactionalId, Duration timeout) {
    Map<String, String> settings = forWriting(config);
    settings.putIfAbsent(ProducerConfig.RETRY_BACKOFF_MS_CONFIG, QUICK_BACKOFF_MS);
    impose(
        settings,
        ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
        String.valueOf(timeout.toMillis()),
        "transactions of this sink");
    settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId);
    return create("producer", settings, KafkaProducer::new);
  }

  private static Map<String, String> forWriting(KafkaConfig config) {
    Map<String, String> settings = forClient(config.resolve(), ProducerConfig.configNames());
    settings.putIfAbsent(CommonClientConfigs.ENABLE_METRICS_PUSH_CONFIG, "false");
    if (settings.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG)) {
      throw KafkaErrors.notAllowed(
          ProducerConfig.TRANSACTIONAL_ID_CONFIG, "left out", "writes that may be repeated");
    }
    settings.computeIfPresent(
        ProducerConfig.ACKS_CONFIG, (name, acks) -> acks.equals(ACKS_OF_ALL) ? "all" : acks);
    WRITE_RULES.forEach(
        (name, rule) -> impose(settings, name, rule, "writes that may be repeated"));
    return settings;
  }

  private static void impose(
      Map<String, String> settings, String name, String rule, String purpose) {
    if (!settings.getOrDefault(name, rule).equals(rule)) {
      throw KafkaErrors.notAllowed(name, rule, purpose);
    }
    settings.put(name, rule);
  }

  /** Returns a client for administration. */
  public static Admin admin(KafkaConfig config) {
    Map<String, String> settings = forClient(config.resolve(), AdminClientConfig.configNames());
    return create("admin", settings, Admin::create);
  }

  static Consumer<byte[], byte[]> consumerForKafkaIO(KafkaConfig config, Map<String, Object> own) {
    Map<String, String> settings = forClient(config.resolve(), ConsumerConfig.configNames());
    return create("consumer", settings, given -> new KafkaConsumer<>(merged(own, given)));
  }

  static <K, V> Producer<K, V> producerForKafkaIO(KafkaConfig config, Map<String, Object> own) {
    Map<String, String> settings = forClient(config.resolve(), ProducerConfig.configNames());
    return create("producer", settings, given -> new KafkaProducer<>(merged(own, given)));
  }

  /** Returns how long a client waits for an answer before it gives up. */
  public static Duration timeout(KafkaConfig config) {
    return Duration.ofMillis(milliseconds(config.resolve(), API_TIMEOUT, DEFAULT_API_TIMEOUT_MS));
  }

  /** Returns an error of the broker or the network as one of this package. */
  public static RuntimeException explained(ApiException e, KafkaConfig config, Duration timeout) {
    if (e instanceof AuthenticationException || e instanceof AuthorizationException) {
      return KafkaErrors.refused(config.bootstrapServers(), e);
    }
    if (e instanceof TimeoutException) {
      return KafkaErrors.unavailable(config.bootstrapServers(), timeout, e);
    }
    return e;
  }

  private static Map<String, Object> merged(Map<String, Object> own, Map<String, Object> given) {
    Map<String, Object> all = new HashMap<>(own);
    given.forEach(
        (name, value) -> {
          if (!OWN_TO_KAFKA_IO.contains(name)) {
            all.put(name, value);
          }
        });
    return all;
  }

  private static Map<String, String> forClient(Map<String, String> all, Set<String> known) {
    if (all.getOrDefault(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "").isBlank()) {
      throw KafkaErrors.unusable(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, "not set");
    }
    Map<String, String> settings = new HashMap<>(all);
    // One file serves every kind of client, and each warns of settings it does not know.
    settings.keySet().removeIf(name -> !known.contains(name) && knownToAny(name));
    if (settings.containsKey(API_TIMEOUT) && known.contains(API_TIMEOUT)) {
      // The admin client refuses an API timeout below that of a single request.
      int limit = milliseconds(settings, API_TIMEOUT, DEFAULT_API_TIMEOUT_MS);
      int request = milliseconds(settings, REQUEST_TIMEOUT, DEFAULT_REQUEST_TIMEOUT_MS);
      settings.put(REQUEST_TIMEOUT, String.valueOf(Math.min(limit, request)));
    }
    return settings;
  }

  private static boolean knownToAny(String name) {
    return ConsumerConfig.configNames().contains(name)
        || ProducerConfig.configNames().contains(name)
        || AdminClientConfig.configNames().contains(name);
  }

  private static int milliseconds(Map<String, String> settings, String name, int otherwise) {
    String value = settings.get(name);
    if (value == null) {
      return otherwise;
    }
    try {
      return Integer.parseInt(value.trim());
    } catch (NumberFormatException e) {
      throw KafkaErrors.unusable(name, "not a whole number of milliseconds");
    }
  }

  private static <T> T create(
      String client, Map<String, String> settings, Function<Map<String, Object>, T> constructor) {
    try {
      return constructor.apply(new HashMap<>(settings));
    } catch (KafkaException | IllegalArgumentException e) {
      Throwable root = e;
      while (root.getCause() != null && !(root instanceof ConfigException)) {
        root = root.getCause();
      }
      String told = String.valueOf(root.getMessage());
      Matcher named = NAMED.matcher(told);
      throw KafkaErrors.unusable(
          named.find() ? named.group(1) : client, Secrets.hide(told, settings));
    }
  }
}
