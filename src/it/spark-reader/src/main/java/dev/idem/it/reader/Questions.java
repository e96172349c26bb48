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

import static java.util.stream.Collectors.joining;
import static java.util.stream.StreamSupport.stream;
import static scala.collection.JavaConverters.seqAsJavaList;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** The questions that the reader knows. */
final class Questions {

  private static final ObjectMapper JSON = new ObjectMapper();

  private final SparkSession spark;

  Questions(SparkSession spark) {
    this.spark = spark;
  }

  ObjectNode answer(JsonNode question) {
    String op = text(question, "op");
    return switch (op) {
      case "count" -> count(question);
      case "rows", "filter" -> rows(select(question));
      case "history" -> rows(history(question));
      case "files" -> files(question);
      case "opened" -> opened(question);
      case "sql" -> rows(spark.sql(text(question, "sql")));
      default ->
          throw new IllegalArgumentException(
              "Question must be one of count, rows, filter, history, files, opened, sql, but was: \""
                  + op
                  + "\".");
    };
  }

  private ObjectNode count(JsonNode question) {
    Dataset<Row> table = read(question);
    ObjectNode answer = JSON.createObjectNode().put("rows", table.count());
    Column[] keys = columns(question, "keys");
    if (keys.length > 0) {
      answer.put("distinct", table.select(keys).distinct().count());
    }
    return answer;
  }

  private ObjectNode files(JsonNode question) {
    return JSON.createObjectNode().put("files", read(question).inputFiles().length);
  }

  /** Runs the query: the scan counts what it is left with after all pruning. */
  private ObjectNode opened(JsonNode question) {
    Dataset<Row> rows = select(question);
    rows.collectAsList();
    long files = 0;
    for (var scan : seqAsJavaList(rows.queryExecution().executedPlan().collectLeaves())) {
      files += scan.metrics().apply("numFiles").value();
    }
    return JSON.createObjectNode().put("files", files);
  }

  private Dataset<Row> history(JsonNode question) {
    return spark.sql("DESCRIBE HISTORY delta.`" + text(question, "table").replace("`", "``") + "`");
  }

  private Dataset<Row> select(JsonNode question) {
    Dataset<Row> rows = read(question);
    if (question.has("where")) {
      rows = rows.where(text(question, "where"));
    }
    Column[] order = columns(question, "orderBy");
    if (order.length > 0) {
      rows = rows.orderBy(order);
    }
    Column[] columns = columns(question, "columns");
    return columns.length > 0 ? rows.select(columns) : rows;
  }

  private Dataset<Row> read(JsonNode question) {
    var reader = spark.read().format("delta");
    if (question.has("version")) {
      reader = reader.option("versionAsOf", question.get("version").asLong());
    }
    return reader.load(text(question, "table"));
  }

  private ObjectNode rows(Dataset<Row> rows) {
    ObjectNode answer = JSON.createObjectNode();
    ArrayNode list = answer.putArray("rows");
    for (Row row : rows.collectAsList()) {
      list.add(JsonValues.of(row));
    }
    return answer;
  }

  private static Column[] columns(JsonNode question, String field) {
    return stream(question.path(field).spliterator(), false)
        .map(name -> functions.col(quoted(name.asText())))
        .toArray(Column[]::new);
  }

  /** A dot in a name is part of it, never a path into a nested value. */
  private static String quoted(String name) {
    return name.chars()
        .mapToObj(c -> c == '`' ? "``" : Character.toString(c))
        .collect(joining("", "`", "`"));
  }

  private static String text(JsonNode question, String field) {
    JsonNode value = question.path(field);
    if (!value.isTextual()) {
      throw new IllegalArgumentException(
          "Question must have the text \"" + field + "\", but was: " + question + ".");
    }
    return value.asText();
  }
}
