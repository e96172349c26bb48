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
package dev.idem.it.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.SparkSession;

/**
 * Answers questions about Delta tables: one JSON object a line on standard input, one answer a line
 * on standard output, until the input ends. An answer starts with {@link #ANSWER}; all else that a
 * library may print goes to standard error.
 *
 * <p>Starting Spark takes seconds, so one process answers many questions.
 */
public final class ReadTable {

  /** What every answer starts with. */
  public static final String ANSWER = "idem-reader> ";

  private static final ObjectMapper JSON = new ObjectMapper();

  private ReadTable() {}

  /** Runs the reader; takes no arguments. */
  public static void main(String[] args) throws IOException {
    PrintStream answers = System.out;
    System.setOut(System.err);
    BufferedReader questions =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (SparkSession spark = session()) {
      Questions reader = new Questions(spark);
      answer(answers, JSON.createObjectNode().put("ready", spark.version()));
      for (String line = questions.readLine(); line != null; line = questions.readLine()) {
        answer(answers, ask(reader, line));
      }
    }
  }

  private static ObjectNode ask(Questions reader, String line) {
    try {
      JsonNode question = JSON.readTree(line);
      return reader.answer(question);
    } catch (Exception e) {
      // The asker decides what a failed question means; later questions are still answered.
      return JSON.createObjectNode().put("error", e.getClass().getName() + ": " + e.getMessage());
    }
  }

  private static void answer(PrintStream answers, ObjectNode answer) throws IOException {
    answers.write(
        (ANSWER + JSON.writeValueAsString(answer) + "\n").getBytes(StandardCharsets.UTF_8));
    answers.flush();
  }

  private static SparkSession session() {
    return SparkSession.builder()
        .appName("idem-reader")
        .master("local[2]")
        .config("spark.sql.extensions", "io.delta.sql.DeltaSparkSessionExtension")
        .config(
            "spark.sql.catalog.spark_catalog", "org.apache.spark.sql.delta.catalog.DeltaCatalog")
        .config("spark.sql.session.timeZone", "UTC")
        // The classes of java.sql would move dates before 1582 and depend on the JVM's zone.
        .config("spark.sql.datetime.java8API.enabled", "true")
        // Dates are of one calendar in Delta; files of other writers do not say so.
        .config("spark.sql.parquet.datetimeRebaseModeInRead", "CORRECTED")
        .config("spark.sql.parquet.datetimeRebaseModeInWrite", "CORRECTED")
        .config("spark.sql.parquet.int96RebaseModeInRead", "CORRECTED")
        .config("spark.sql.parquet.int96RebaseModeInWrite", "CORRECTED")
        .config("spark.sql.shuffle.partitions", "1")
        .config("spark.databricks.delta.snapshotPartitions", "1")
        // A reader that keeps an old snapshot for a while would hide the commit under test.
        .config("spark.databricks.delta.stalenessLimit", "0")
        .config("spark.sql.warehouse.dir", System.getProperty("java.io.tmpdir"))
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "localhost")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .getOrCreate();
  }
}
