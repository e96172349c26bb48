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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.CreateTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.admin.TransactionState;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A real Kafka broker (KRaft, one node) in its own process on free loopback ports, with a plain
 * listener and one that asks for SASL/PLAIN. Closing it kills the process and deletes its files;
 * the process also dies with this one, however this one ends.
 */
public final class KafkaBroker implements AutoCloseable {
  /** The user of the SASL listener. */
  public static final String SASL_USER = "idem-reader";

  /** The password of {@link #SASL_USER}, distinctive so that tests can search for it. */
  public static final String SASL_PASSWORD = "tH1s-must-never-be-seen";

  private static final int READY_ATTEMPTS = 60;
  private static final int MOST_QUESTIONS = 20_000;

  private final Path directory;
  private final int plainPort;
  private final int saslPort;
  private final Thread hook = new Thread(this::destroy, "destroy-kafka-broker");
  private Process process;
  private Admin admin;
  private Producer<byte[], byte[]> producer;

  private KafkaBroker(Path directory, List<Integer> ports) throws IOException {
    this.directory = directory;
    this.plainPort = ports.get(0);
    this.saslPort = ports.get(1);
    Files.writeString(directory.resolve("log4j2.properties"), QUIET);
    Files.writeString(properties(), serverProperties(ports.get(2)));
    format();
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns the broker of this JVM, started at the first call and stopped with the JVM. */
  public static KafkaBroker shared() {
    return Shared.BROKER;
  }

  /** Starts a broker of the caller's own. */
  public static KafkaBroker start() {
    try {
      KafkaBroker broker = new KafkaBroker(Files.createTempDirectory("idem-kafka-"), freePorts(3));
      try {
        broker.launch();
      } catch (IOException | RuntimeException e) {
        broker.close();
        throw e;
      }
      return broker;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the address of the listener without authentication. */
  public String bootstrapServers() {
    return "127.0.0.1:" + plainPort;
  }

  /** Returns the address of the listener that asks for SASL/PLAIN. */
  public String saslBootstrapServers() {
    return "127.0.0.1:" + saslPort;
  }

  /** Returns where the broker keeps the files of a partition. */
  public Path logDirectory(String topic, int partition) {
    return directory.resolve("log").resolve(topic + "-" + partition);
  }

  /** Returns the client for administration. */
  public Admin admin() {
    return admin;
  }

  /** Creates a topic with one replica a partition, and returns once records can be sent to it. */
  public void createTopic(String name, int partitions, Map<String, String> config) {
    CreateTopicsResult created =
        admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(config)));
    Uuid id = get(created.topicId(name));
    // The controller answers before the broker leads, and a producer that is refused in between
    // may be stuck with its sequence numbers.
    awaitTrue(() -> topicId(name).equals(id));
    awaitTrue(
        () -> offsets(name, partitions, IsolationLevel.READ_UNCOMMITTED).size() == partitions);
  }

  /** Deletes a topic. */
  public void deleteTopic(String name) {
    get(admin.deleteTopics(List.of(name)).all());
  }

  /** Removes the records below an offset, as retention does. */
  public void deleteRecords(String topic, int partition, long before) {
    get(
        admin
            .deleteRecords(
                Map.of(new TopicPartition(topic, partition), RecordsToDelete.beforeOffset(before)))
            .all());
  }

  /** Sends one record and returns its offset; key and value may be null. */
  public long send(String topic, int partition, String key, String value) {
    return send(new ProducerRecord<>(topic, partition, utf8(key), utf8(value)));
  }

  /** Sends one record alone in its batch and returns its offset. */
  public long send(ProducerRecord<byte[], byte[]> record) {
    return sendAll(List.of(record)).get(0);
  }

  /** Sends records and returns their offsets once all are acknowledged. */
  public List<Long> sendAll(List<ProducerRecord<byte[], byte[]>> records) {
    return sendAll(producer, records);
  }

  /** Sends records by a producer of the caller's and returns their offsets. */
  public static List<Long> sendAll(
      Producer<byte[], byte[]> producer, List<ProducerRecord<byte[], byte[]>> records) {
    return awaitOffsets(records.stream().map(producer::send).toList());
  }

  /**
   * Sends records in a transaction of their own, then commits or aborts it. Each partition gets a
   * marker behind them, which takes an offset too; this returns once the markers are written.
   */
  public void sendInTransaction(
      String transactionalId, boolean commit, List<ProducerRecord<byte[], byte[]>> records) {
    try (Producer<byte[], byte[]> own = transactionalProducer(transactionalId)) {
      own.beginTransaction();
      sendAll(own, records);
      if (commit) {
        own.commitTransaction();
      } else {
        own.abortTransaction();
      }
    }
    records.stream().map(ProducerRecord::topic).distinct().forEach(this::awaitStable);
  }

  /** Waits until no transaction is open in a topic: clients return before markers are written. */
  public void awaitStable(String topic) {
    int partitions =
        get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).partitions().size();
    awaitTrue(
        () ->
            offsets(topic, partitions, IsolationLevel.READ_COMMITTED)
                .equals(offsets(topic, partitions, IsolationLevel.READ_UNCOMMITTED)));
  }

  /**
   * Returns whether a transaction is open in a topic, so that readers of committed records stop.
   */
  public boolean hasOpenTransaction(String topic) {
    int partitions =
        get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).partitions().size();
    return !offsets(topic, partitions, IsolationLevel.READ_COMMITTED)
        .equals(offsets(topic, partitions, IsolationLevel.READ_UNCOMMITTED));
  }

  /** Waits until a record of an open transaction is in a topic. */
  public void awaitOpenTransaction(String topic) {
    awaitTrue(() -> hasOpenTransaction(topic));
  }

  /** Waits until the coordinator says that the last transaction of an id is in a state. */
  public void awaitTransaction(String transactionalId, TransactionState state) {
    awaitTrue(
        () ->
            get(admin.describeTransactions(List.of(transactionalId)).description(transactionalId))
                .state()
                .equals(state));
  }

  private Uuid topicId(String topic) {
    return get(admin.describeTopics(List.of(topic)).allTopicNames()).get(topic).topicId();
  }

  private Map<TopicPartition, Long> offsets(
      String topic, int partitions, IsolationLevel isolation) {
    Map<TopicPartition, OffsetSpec> question = new HashMap<>();
    for (int partition = 0; partition < partitions; partition++) {
      question.put(new TopicPartition(topic, partition), OffsetSpec.latest());
    }
    Map<TopicPartition, Long> ends = new HashMap<>();
    get(admin.listOffsets(question, new ListOffsetsOptions(isolation)).all())
        .forEach((partition, end) -> ends.put(partition, end.offset()));
    return ends;
  }

  /** Asks the broker again until it says yes; each question is a round trip. */
  private static void awaitTrue(BooleanSupplier question) {
    RuntimeException last = new IllegalStateException("The broker must come to say yes.");
    for (int attempt = 0; attempt < MOST_QUESTIONS; attempt++) {
      try {
        if (question.getAsBoolean()) {
          return;
        }
      } catch (NotYetException e) {
        last = e;
      }
    }
    throw last;
  }

  /** Returns a producer that is ready to begin a transaction; the caller closes it. */
  public Producer<byte[], byte[]> transactionalProducer(String transactionalId) {
    Producer<byte[], byte[]> own =
        newProducer(Map.of(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId));
    own.initTransactions();
    return own;
  }

  /** Kills the process and keeps its files, as a power loss does. */
  public void kill() {
    closeClients();
    if (process != null) {
      process.destroyForcibly();
      process.onExit().join();
    }
  }

  /** Stops the broker in order and keeps its files; its partitions get new leader epochs. */
  public void stop() {
    closeClients();
    // By the handle, since destroying the process would close its input, which kills it.
    process.toHandle().destroy();
    process.onExit().join();
  }

  /** Starts the broker again on the same files and ports after {@link #kill()} or a stop. */
  public void restart() {
    try {
      launch();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    Runtime.getRuntime().removeShutdownHook(hook);
    destroy();
  }

  private void destroy() {
    kill();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void launch() throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dlog4j2.configurationFile=" + directory.resolve("log4j2.properties").toUri(),
                "-Djava.awt.headless=true",
                "-cp",
                System.getProperty("java.class.path"),
                BrokerMain.class.getName(),
                properties().toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(output().toFile()))
            .start();
    admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers()));
    awaitReady();
    producer = newProducer(Map.of());
  }

  private void awaitReady() throws IOException {
    for (int attempt = 0; attempt < READY_ATTEMPTS; attempt++) {
      try {
        if (!admin.describeCluster().nodes().get(1, TimeUnit.SECONDS).isEmpty()) {
          return;
        }
      } catch (TimeoutException | ExecutionException e) {
        if (!process.isAlive() || attempt == READY_ATTEMPTS - 1) {
          throw new IllegalStateException(
              "The broker must answer, but was: " + Files.readString(output()), e);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IllegalStateException("Interrupted while the broker started.", e);
      }
    }
    throw new IllegalStateException("The broker must have a node, but has none.");
  }

  private void format() {
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    int code =
        StorageTool.execute(
            new String[] {
              "format", "-t", Uuid.randomUuid().toString(), "-c", properties().toString()
            },
            new PrintStream(told, true, StandardCharsets.UTF_8));
    if (code != 0) {
      throw new IllegalStateException(
          "The storage must be formatted, but was: " + told.toString(StandardCharsets.UTF_8));
    }
  }

  private String serverProperties(int controllerPort) {
    Map<String, String> settings = new TreeMap<>();
    settings.put("process.roles", "broker,controller");
    settings.put("node.id", "1");
    settings.put("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    settings.put(
        "listeners",
        "PLAINTEXT://%s,SASL://%s,CONTROLLER://127.0.0.1:%d"
            .formatted(bootstrapServers(), saslBootstrapServers(), controllerPort));
    settings.put(
        "listener.security.protocol.map",
        "PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.put("controller.listener.names", "CONTROLLER");
    settings.put("inter.broker.listener.name", "PLAINTEXT");
    settings.put("sasl.enabled.mechanisms", "PLAIN");
    settings.put(
        "listener.name.sasl.plain.sasl.jaas.config",
        "org.apache.kafka.common.security.plain.PlainLoginModule required user_%s=\"%s\";"
            .formatted(SASL_USER, SASL_PASSWORD));
    settings.put("log.dirs", directory.resolve("log").toString());
    settings.put("auto.create.topics.enable", "false");
    settings.put("offsets.topic.replication.factor", "1");
    settings.put("offsets.topic.num.partitions", "1");
    settings.put("transaction.state.log.replication.factor", "1");
    settings.put("transaction.state.log.min.isr", "1");
    settings.put("transaction.state.log.num.partitions", "1");
    // Transactions time out in tests, so the coordinator looks for them often.
    settings.put("transaction.abort.timed.out.transaction.cleanup.interval.ms", "100");
    settings.put("group.initial.rebalance.delay.ms", "0");
    // Records of tests may be stamped long ago; what is to expire is deleted by the test.
    settings.put("log.retention.ms", "-1");
    // Compaction is waited for in tests, so the cleaner looks often; its buffer is 128 MiB else.
    settings.put("log.cleaner.backoff.ms", "100");
    settings.put("log.cleaner.dedupe.buffer.size", "8388608");
    StringBuilder text = new StringBuilder();
    settings.forEach((key, value) -> text.append(key).append('=').append(value).append('\n'));
    return text.toString();
  }

  private Producer<byte[], byte[]> newProducer(Map<String, Object> more) {
    Map<String, Object> config = new TreeMap<>(more);
    config.put(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers());
    return new KafkaProducer<>(config, new ByteArraySerializer(), new ByteArraySerializer());
  }

  private void closeClients() {
    if (producer != null) {
      producer.close(Duration.ZERO);
      producer = null;
    }
    if (admin != null) {
      admin.close(Duration.ZERO);
      admin = null;
    }
  }

  private static List<Long> awaitOffsets(List<? extends Future<RecordMetadata>> sent) {
    List<Long> offsets = new ArrayList<>();
    for (Future<RecordMetadata> one : sent) {
      offsets.add(get(one).offset());
    }
    return offsets;
  }

  private static <T> T get(Future<T> future) {
    try {
      return future.get(60, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while waiting for the broker.", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof RetriableException) {
        throw new NotYetException(e);
      }
      throw new IllegalStateException("The broker must do what it was asked.", e);
    } catch (TimeoutException e) {
      throw new IllegalStateException("The broker must do what it was asked.", e);
    }
  }

  private static List<Integer> freePorts(int count) throws IOException {
    List<ServerSocket> open = new ArrayList<>();
    try {
      for (int i = 0; i < count; i++) {
        open.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
      }
      return open.stream().map(ServerSocket::getLocalPort).toList();
    } finally {
      for (ServerSocket socket : open) {
        socket.close();
      }
    }
  }

  private static byte[] utf8(String text) {
    return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  private Path properties() {
    return directory.resolve("server.properties");
  }

  private Path output() {
    return directory.resolve("out");
  }

  private static final String QUIET =
      """
      status = error
      appender.out.type = Console
      appender.out.name = out
      appender.out.layout.type = PatternLayout
      appender.out.layout.pattern = %d %p %c: %m%n
      rootLogger.level = warn
      rootLogger.appenderRef.out.ref = out
      """;

  /** The broker may answer otherwise when it is asked again. */
  private static final class NotYetException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    NotYetException(Throwable cause) {
      super("The broker must do what it was asked.", cause);
    }
  }

  /** Holds the broker of this JVM; it is started when first asked for. */
  private static final class Shared {
    static final KafkaBroker BROKER = start();
  }
}
