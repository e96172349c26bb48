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

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A PostgreSQL in a JVM of its own, whose tables Debezium captures there. */
public final class CapturedDatabase {
  private static final int PATIENCE_SECONDS = 60;

  /**
   * A record that Debezium sends.
   *
   * @param connector the name that the capture was started with
   * @param topic the topic it is for
   * @param key the key, null if there is none
   * @param value the value, null for a tombstone
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared nowhere.
  public record Sent(String connector, String topic, byte[] key, byte[] value) {}

  private final Process process;
  private final PrintWriter commands;
  private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
  private final BlockingQueue<Sent> records = new LinkedBlockingQueue<>();

  private CapturedDatabase(Process process) {
    this.process = process;
    this.commands = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
    Thread reader = new Thread(this::read, "captured-database");
    reader.setDaemon(true);
    reader.start();
    expect("started");
  }

  /** The one of this JVM; it ends with the JVM, whose pipe it reads. */
  private static final class Shared {
    static final CapturedDatabase DATABASE = start();
  }

  /** Returns the database of this JVM. */
  public static CapturedDatabase shared() {
    return Shared.DATABASE;
  }

  private static CapturedDatabase start() {
    String module = System.getProperty("idem.capture");
    if (module == null) {
      throw new IllegalStateException(
          "System property idem.capture must name the directory of src/capture, but was: null."
              + " Run the test with Maven, or set the property.");
    }
    try {
      Path target = Path.of(module, "target");
      return new CapturedDatabase(
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-Xmx512m",
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  target.resolve("classes")
                      + File.pathSeparator
                      + Files.readString(target.resolve("capture.classpath")).strip(),
                  "dev.idem.capture.RunDebezium")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", -1);
        if (words[0].equals("record")) {
          records.add(new Sent(words[1], words[2], bytes(words[3]), bytes(words[4])));
        } else {
          answers.add(line);
        }
      }
    } catch (IOException e) {
      answers.add(
          "failed "
              + Base64.getEncoder().encodeToString(e.toString().getBytes(StandardCharsets.UTF_8)));
    }
  }

  private static byte[] bytes(String word) {
    return word.equals("-") ? null : Base64.getDecoder().decode(word);
  }

  private String expect(String start) {
    try {
      String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
      if (answer == null || !answer.startsWith(start)) {
        boolean failed = answer != null && answer.startsWith("failed ");
        throw new IllegalStateException(
            "The database must answer \"%s\", but was: %s."
                .formatted(start, failed ? text(answer.substring("failed ".length())) : answer));
      }
      return answer.substring(start.length()).strip();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while the database was asked.", e);
    }
  }

  private static String text(String word) {
    byte[] bytes = bytes(word);
    return bytes == null ? null : new String(bytes, StandardCharsets.UTF_8);
  }

  /** Runs statements, each in a transaction of its own. */
  public void sql(String... statements) {
    for (String statement : statements) {
      in("main", statement);
    }
  }

  /** Runs a statement in a session that may have a transaction open. */
  public void in(String session, String statement) {
    commands.println("sql " + session + " " + statement.replace('\n', ' '));
    expect("done");
  }

  /** Returns the first value of a query as text. */
  public String ask(String query) {
    return askIn("main", query);
  }

  /** Returns the first value of a query of a session as text. */
  public String askIn(String session, String query) {
    commands.println("ask " + session + " " + query.replace('\n', ' '));
    return text(expect("value"));
  }

  /** Asks until a query is true. */
  public void await(String query) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!"t".equals(ask(query))) {
      if (System.nanoTime() > deadline) {
        throw new IllegalStateException("It must become true, but did not: " + query);
      }
      ask("select pg_sleep(0.02)");
    }
  }

  /**
   * Starts a connector for tables, named with their schema and separated by commas.
   *
   * @param settings further settings of the connector, such as {@code snapshot.mode=no_data}
   */
  public void capture(String name, String tables, boolean schemas, String... settings) {
    List<String> words = new ArrayList<>(List.of("capture", name, tables, "" + schemas));
    words.addAll(List.of(settings));
    commands.println(String.join(" ", words));
    expect("done");
  }

  /** Returns the next record that a connector sends, and drops those of others before it. */
  public Sent next(String connector) {
    try {
      Sent sent;
      do {
        sent = records.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (sent == null) {
          throw new IllegalStateException(
              "Connector \"%s\" must send a record, but did not. It said: %s"
                  .formatted(connector, said()));
        }
      } while (!sent.connector().equals(connector));
      return sent;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while records were awaited.", e);
    }
  }

  private List<String> said() {
    List<String> said = new ArrayList<>();
    answers.forEach(
        answer ->
            said.add(
                answer.startsWith("failed ")
                    ? text(answer.substring("failed ".length()))
                    : answer));
    return said;
  }

  /** Returns where the database is, for JDBC; its user {@code postgres} needs no password. */
  public String jdbcUrl() {
    return "jdbc:postgresql://localhost:" + ask("show port") + "/postgres";
  }
}
