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
package dev.idem.io.jdbc;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeException;
import dev.failsafe.RetryPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Runs transactions, each in a connection of its own, again and again while what fails may pass.
 * What runs must read in the transaction whether an earlier attempt was committed: the answer to a
 * commit may be lost.
 */
final class Transactions {

  /** What is done in a transaction, or outside of one. */
  interface Work<T> {
    T in(Connection connection) throws Exception;
  }

  private final JdbcSpec spec;
  private @Nullable DataSource source;
  private @Nullable Dialect dialect;

  Transactions(JdbcSpec spec) {
    this.spec = spec;
  }

  /** Returns the dialect of the database. */
  Dialect dialect() throws InterruptedException {
    if (dialect == null) {
      dialect = retrying(error -> false, () -> connected(Dialect::of));
    }
    return dialect;
  }

  private <T> T connected(Work<T> work) throws Exception {
    try (Connection connection = connect()) {
      return work.in(connection);
    }
  }

  private Connection connect() throws SQLException {
    try {
      if (source == null) {
        source = spec.source().apply(null);
      }
      return source.getConnection();
    } catch (SQLException e) {
      // A pool may not say why it has no connection; a database that refuses the user does.
      throw e.getSQLState() == null
          ? new SQLTransientConnectionException("There is no connection: " + e.getMessage(), e)
          : e;
    }
  }

  /** Runs work whose statements are committed one by one. */
  <T> T outside(Predicate<Throwable> passing, Work<T> work) throws InterruptedException {
    return retrying(
        passing,
        () ->
            connected(
                connection -> {
                  connection.setAutoCommit(true);
                  return work.in(connection);
                }));
  }

  /**
   * Runs work and commits it.
   *
   * @param passing errors that may pass, beside those that always may
   */
  <T> T run(Predicate<Throwable> passing, Work<T> work) throws InterruptedException {
    Dialect sql = dialect();
    return retrying(
        passing,
        () ->
            connected(
                connection -> {
                  sql.begin(connection, spec.timeout());
                  try {
                    T result = work.in(connection);
                    connection.commit();
                    connection.setAutoCommit(true);
                    return result;
                  } catch (Exception e) {
                    rollBack(connection, e);
                    throw e;
                  }
                }));
  }

  private static void rollBack(Connection connection, Exception error) {
    try {
      connection.rollback();
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      // The connection is broken: the server rolls back for itself.
      error.addSuppressed(e);
    }
  }

  private interface Attempt<T> {
    T run() throws Exception;
  }

  private <T> T retrying(Predicate<Throwable> passing, Attempt<T> attempt)
      throws InterruptedException {
    List<Throwable> failures = new ArrayList<>();
    RetryPolicy<Object> again =
        RetryPolicy.builder()
            .handleIf(error -> SqlFailure.of(error) == SqlFailure.TRANSIENT || passing.test(error))
            .withMaxAttempts(spec.attempts())
            .withBackoff(spec.leastPause(), spec.mostPause())
            .withJitter(0.25)
            .onFailedAttempt(event -> failures.add(event.getLastException()))
            .build();
    try {
      return Failsafe.with(again).get(attempt::run);
    } catch (FailsafeException e) {
      if (e.getCause() instanceof InterruptedException) {
        Thread.currentThread().interrupt();
        throw new InterruptedException("Interrupted while a database was written to.");
      }
      throw failed(e.getCause(), failures);
    } catch (RuntimeException e) {
      throw SqlFailure.sql(e) == null ? e : failed(e, failures);
    }
  }

  private JdbcTargetException failed(Throwable last, List<Throwable> failures) {
    for (Throwable earlier : failures) {
      if (earlier != last) {
        last.addSuppressed(earlier);
      }
    }
    return JdbcWriteErrors.failed(spec.table(), Math.max(1, failures.size()), last);
  }
}
