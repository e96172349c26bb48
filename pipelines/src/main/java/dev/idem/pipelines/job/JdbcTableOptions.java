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
package dev.idem.pipelines.job;

import dev.idem.io.jdbc.JdbcDatabase;
import dev.idem.io.jdbc.WriteJdbcRows;
import dev.idem.pipelines.targets.JdbcTarget;
import java.nio.file.Path;
import java.time.Duration;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Option;

/** The table of a database that a command fills. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class JdbcTableOptions {

  @Option(
      names = "--jdbcUrl",
      required = true,
      paramLabel = "URL",
      description = "The database, without a password, with settings of its driver such as TLS.")
  private String jdbcUrl;

  @Option(names = "--user", paramLabel = "NAME", description = "As whom to write.")
  private @Nullable String user;

  @Option(
      names = "--passwordFile",
      paramLabel = "FILE",
      description = "A file that holds the password, which every worker reads for itself.")
  private @Nullable Path passwordFile;

  @Option(
      names = "--table",
      required = true,
      paramLabel = "[SCHEMA.]TABLE",
      description = "The table, which must exist.")
  private String table;

  @Option(
      names = "--statementTimeout",
      paramLabel = "5m",
      defaultValue = "5m",
      converter = JobOptions.DurationConverter.class,
      description = "How long a statement, or the wait for a lock, may take.")
  private Duration statementTimeout;

  /** Returns the table, as rows are written to it. */
  public JdbcTarget target(WriteJdbcRows write) {
    return target("table", write);
  }

  JdbcTarget target(String name, WriteJdbcRows write) {
    JdbcDatabase database = JdbcDatabase.at(jdbcUrl);
    if (user != null) {
      database = database.as(user);
    }
    if (passwordFile != null) {
      database = database.withPasswordFile(passwordFile);
    }
    return JdbcTarget.of(
        name,
        write
            .to(table)
            .withDatabase(database)
            .withTimeout(org.joda.time.Duration.millis(statementTimeout.toMillis())));
  }
}
