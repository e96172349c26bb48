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
package dev.idem.pipelines.quickstart.cdc;

import dev.idem.pipelines.quickstart.environment.Environment;
import java.io.IOException;
import java.sql.SQLException;

/** Debezium's connector in its own process: it sends what happens in the tables to the broker. */
final class Debezium {

  static final String NAME = "debezium";
  static final String TOPIC = "bank.public.accounts";
  static final int PARTITIONS = 3;

  private static final String CONNECTOR = "bank";
  private static final String MARKS = "bank.public.marks";

  private final Environment environment;
  private final Database database;
  private Process process;

  private Debezium(Environment environment, Database database) throws IOException {
    this.environment = environment;
    this.database = database;
    this.process = CaptureJvm.debezium(environment, CONNECTOR, database);
  }

  /** Creates the topics and starts the connector. */
  static Debezium start(Environment environment, Database database) throws IOException {
    environment.broker().createTopic(TOPIC, PARTITIONS);
    environment.broker().createTopic(MARKS, 1);
    return new Debezium(environment, database);
  }

  long pid() {
    return process.pid();
  }

  /**
   * Returns once the rows that were there before have been sent, and it has kept where they end:
   * killed before that, it would begin with all rows again, at another position.
   */
  void awaitFirstRows(long rows) throws IOException, SQLException {
    await("send the first rows", () -> environment.broker().records(TOPIC, PARTITIONS) >= rows);
    awaitCaptured(database.position());
  }

  /** Returns once everything up to a position of the log has been sent. */
  void awaitCaptured(String position) throws IOException, SQLException {
    await("send all up to " + position, () -> database.isCaptured(CONNECTOR, position));
  }

  /** Kills it, and starts it again: it sends again what it does not know to have sent. */
  void restart() throws IOException {
    environment.children().kill(NAME, process);
    process = CaptureJvm.debezium(environment, CONNECTOR, database);
  }

  /** Returns once a condition holds; fails if the connector ends before. */
  void await(String wanted, Waiting.Condition condition) throws IOException, SQLException {
    Waiting.until(condition, process, NAME, wanted, environment.children().log(NAME));
  }
}
