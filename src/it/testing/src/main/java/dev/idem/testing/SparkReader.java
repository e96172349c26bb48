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

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Reads Delta tables with Delta Lake's own Spark connector, in a JVM of its own: an independent
 * judge of what Idem wrote. Take {@link #shared()}; starting one costs seconds.
 *
 * <p>Values come as JSON: timestamps as microseconds since 1970, dates as ISO text, decimals as
 * plain text, binary as base64, NaN and the infinities as text. The session's zone is UTC.
 *
 * <p>The process ends with {@link #close()}, with this JVM, and also when this JVM is killed, since
 * its standard input ends then. Questions are asked one at a time.
 */
public final class SparkReader implements AutoCloseable {

  /**
   * The number of rows of a table, and of distinct values of the key columns.
   *
   * @param rows the number of rows
   * @param distinct the number of distinct keys; equal to {@code rows} if there are no duplicates
   */
  public record Count(long rows, long distinct) {}

  /** Which snapshot of which table to read, and what of it; immutable. */
  public static final class Query {
    private final ObjectNode question;

    private Query(ObjectNode question) {
      this.question = question;
    }

    /** Returns a query of all columns and rows, in no order. */
    public static Query of(Path table) {
      return new Query(JSON.createObjectNode().put("table", table.toString()));
    }

    /** Returns the query with only these columns. */
    public Query columns(String... names) {
      return with("columns", names);
    }

    /** Returns the query with rows in ascending order of these columns. */
    public Query orderBy(String... names) {
      return with("orderBy", names);
    }

    /** Returns the query with only the rows for which a SQL condition holds. */
    public Query where(String sql) {
      return new Query(question.deepCopy().put("where", sql));
    }

    /** Returns the query on an older version of the table. */
    public Query version(long version) {
      return new Query(question.deepCopy().put("version", version));
    }

    private Query with(String field, String... names) {
      ObjectNode copy = question.deepCopy();
      ArrayNode list = copy.putArray(field);
      List.of(names).forEach(list::add);
      return new Query(copy);
    }
  }

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ANSWER = "idem-reader> ";

  private final Process process;
  private final Path log;
  private final Writer questions;
  private final BufferedReader answers;
  private final String sparkVersion;

  private SparkReader(Process process, Path log) {
    this.process = process;
    this.log = log;
    this.questions = process.outputWriter(UTF_8);
    this.answers = process.inputReader(UTF_8);
    this.sparkVersion = answer("start").get("ready").asText();
  }

  /** Returns the reader of this JVM, started at the first call and ended with the JVM. */
  public static SparkReader shared() {
    return Shared.READER;
  }

  private static final class Shared {
    private static final SparkReader READER = start();
  }

  /** Starts a reader of the caller's own. */
  public static SparkReader start() {
    String module = System.getProperty("idem.sparkReader");
    if (module == null) {
      throw new IllegalStateException(
          "System property idem.sparkReader must name the directory of src/it/spark-reader, but was:"
              + " null. Run the test with Maven, or set the property.");
    }
    try {
      Path log = Files.createTempFile("idem-spark-reader", ".log");
      Process process =
          new ProcessBuilder(command(Path.of(module, "target")))
              .redirectError(log.toFile())
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process, log)));
      return new SparkReader(process, log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> command(Path target) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx1g");
    command.add("-XX:TieredStopAtLevel=1");
    // This JVM was given what Spark needs opened.
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--add-opens"))
        .forEach(command::add);
    command.add("-cp");
    command.add(
        target.resolve("classes")
            + File.pathSeparator
            + Files.readString(target.resolve("reader.classpath"), UTF_8).strip());
    command.add("dev.idem.it.reader.ReadTable");
    return command;
  }

  /** Returns the version of Spark that reads. */
  public String sparkVersion() {
    return sparkVersion;
  }

  /** Returns how many rows and how many distinct keys a table holds. */
  public Count count(Path table, String key, String... more) {
    return count(Query.of(table), key, more);
  }

  /** Returns how many rows and how many distinct keys a query of whole rows yields. */
  public Count count(Query query, String key, String... more) {
    ObjectNode question = query.question.deepCopy().put("op", "count");
    ArrayNode keys = question.putArray("keys").add(key);
    List.of(more).forEach(keys::add);
    JsonNode answer = ask(question);
    return new Count(answer.get("rows").asLong(), answer.get("distinct").asLong());
  }

  /** Returns the rows of a query. */
  public List<JsonNode> rows(Query query) {
    return list(ask(query.question.deepCopy().put("op", "rows")));
  }

  /** Returns what DESCRIBE HISTORY tells of a table, newest version first. */
  public List<JsonNode> history(Path table) {
    return list(ask(Query.of(table).question.put("op", "history")));
  }

  /** Returns how many data files a snapshot has. */
  public int files(Query query) {
    return ask(query.question.deepCopy().put("op", "files")).get("files").asInt();
  }

  /** Returns how many data files the scan of a query opens, an unordered one. */
  public int opened(Query query) {
    return ask(query.question.deepCopy().put("op", "opened")).get("files").asInt();
  }

  /** Runs a statement, such as RESTORE, OPTIMIZE or VACUUM, and returns its rows. */
  public List<JsonNode> sql(String statement) {
    return list(ask(JSON.createObjectNode().put("op", "sql").put("sql", statement)));
  }

  ProcessHandle process() {
    return process.toHandle();
  }

  private static List<JsonNode> list(JsonNode answer) {
    List<JsonNode> rows = new ArrayList<>();
    for (Iterator<JsonNode> i = answer.get("rows").elements(); i.hasNext(); ) {
      rows.add(i.next());
    }
    return rows;
  }

  private synchronized JsonNode ask(ObjectNode question) {
    try {
      questions.write(question + "\n");
      questions.flush();
    } catch (IOException e) {
      throw failure(question.toString(), "no more questions taken", e);
    }
    JsonNode answer = answer(question.toString());
    if (answer.has("error")) {
      throw failure(question.toString(), answer.get("error").asText(), null);
    }
    return answer;
  }

  private JsonNode answer(String question) {
    try {
      for (String line = answers.readLine(); line != null; line = answers.readLine()) {
        if (line.startsWith(ANSWER)) {
          return JSON.readTree(line.substring(ANSWER.length()));
        }
      }
      throw failure(question, "process ended", null);
    } catch (IOException e) {
      throw failure(question, "no answer", e);
    }
  }

  private IllegalStateException failure(String question, String problem, Throwable cause) {
    return new IllegalStateException(
        "Spark reader must answer \"" + question + "\", but was: " + problem + ".\n" + logTail(),
        cause);
  }

  private String logTail() {
    try {
      List<String> lines = Files.readAllLines(log, UTF_8);
      return String.join("\n", lines.subList(Math.max(0, lines.size() - 30), lines.size()));
    } catch (IOException e) {
      return "Its log is not readable: " + e;
    }
  }

  @Override
  public void close() {
    end(process, log);
  }

  private static void end(Process process, Path log) {
    process.destroyForcibly();
    try {
      process.waitFor(10, TimeUnit.SECONDS);
      Files.deleteIfExists(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("Interrupted while the Spark reader ended.", e);
    }
  }
}
