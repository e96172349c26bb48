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
package dev.idem.pipelines.quickstart.environment;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.Uuid;

/**
 * A real Kafka broker, one node that is its own controller, on free ports of the loopback. It says
 * its address on standard output once it takes requests, and dies when its standard input ends.
 */
final class BrokerMain {

  /** What stands before the address. */
  static final String READY = "broker ready at ";

  private BrokerMain() {}

  /** Runs a broker whose files are in the directory that is the only argument. */
  public static void main(String[] arguments)
      throws IOException, InterruptedException, ExecutionException {
    dieWithParent();
    Path directory = Path.of(arguments[0]);
    int port;
    int controllerPort;
    try (ServerSocket first = freePort();
        ServerSocket second = freePort()) {
      port = first.getLocalPort();
      controllerPort = second.getLocalPort();
    }
    Properties settings = settings(directory.resolve("log"), port, controllerPort);
    Path file = directory.resolve("server.properties");
    format(file, settings);
    // Returns when the broker has ended, and ends this process with it.
    new Thread(() -> Kafka.main(new String[] {file.toString()}), "broker").start();
    String address = "127.0.0.1:" + port;
    awaitNode(address);
    System.out.println(READY + address);
    System.out.flush();
  }

  /** A killed parent runs no shutdown hook, but its end of this pipe is closed in every case. */
  private static void dieWithParent() {
    Thread watch =
        new Thread(
            () -> {
              try {
                System.in.transferTo(OutputStream.nullOutputStream());
              } catch (IOException e) {
                Runtime.getRuntime().halt(2);
              }
              Runtime.getRuntime().halt(0);
            },
            "parent-watch");
    watch.setDaemon(true);
    watch.start();
  }

  /** Waits until the broker takes requests and has registered itself, so that it takes topics. */
  private static void awaitNode(String address) throws InterruptedException, ExecutionException {
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", address))) {
      while (admin.describeCluster().nodes().get().isEmpty()) {
        Thread.onSpinWait();
      }
    }
  }

  private static ServerSocket freePort() throws IOException {
    return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
  }

  private static Properties settings(Path log, int port, int controllerPort) {
    Properties settings = new Properties();
    settings.setProperty("process.roles", "broker,controller");
    settings.setProperty("node.id", "1");
    settings.setProperty("controller.quorum.voters", "1@127.0.0.1:" + controllerPort);
    settings.setProperty(
        "listeners", "PLAINTEXT://127.0.0.1:" + port + ",CONTROLLER://127.0.0.1:" + controllerPort);
    settings.setProperty(
        "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT");
    settings.setProperty("controller.listener.names", "CONTROLLER");
    settings.setProperty("log.dirs", log.toString());
    settings.setProperty("auto.create.topics.enable", "false");
    settings.setProperty("offsets.topic.replication.factor", "1");
    settings.setProperty("transaction.state.log.replication.factor", "1");
    settings.setProperty("transaction.state.log.min.isr", "1");
    // The topics here are small and short-lived; the default buffer takes 128 MiB of the heap.
    settings.setProperty("log.cleaner.dedupe.buffer.size", "8388608");
    return settings;
  }

  private static void format(Path file, Properties settings) throws IOException {
    try (var writer = Files.newBufferedWriter(file)) {
      settings.store(writer, null);
    }
    ByteArrayOutputStream told = new ByteArrayOutputStream();
    int code =
        StorageTool.execute(
            new String[] {"format", "-t", Uuid.randomUuid().toString(), "-c", file.toString()},
            new PrintStream(told, true, StandardCharsets.UTF_8));
    if (code != 0) {
      throw new IllegalStateException(
          "Storage must be formatted, but was: " + told.toString(StandardCharsets.UTF_8));
    }
  }
}
