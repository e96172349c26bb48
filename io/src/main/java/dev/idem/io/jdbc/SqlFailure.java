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

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientException;
import java.util.Set;
import org.jooq.exception.DataAccessException;

/*
 * Classes of SQLSTATE: 28 who asks, 3D and 42 what there is; 22 data, 23 constraint, 44 check
 * option of a view, P0001 and 45000 raised by a trigger; 40 rolled back, 08 connection, 53
 * resources, 55P03 lock, 57 intervention of an operator, 57014 timeout. MySQL: 1205 lock wait
 * timeout, 1213 deadlock, 1366, 1265, 1406 values that do not fit, 1526 no partition for it, 3819
 * a check, 1969 statement timeout, 1927 killed. H2: 50200 lock timeout, 90131 concurrent update.
 * PostgreSQL: 54000 is a row that is too large for a page or an index; 21000 is a row touched twice
 * by one statement, a fault of ours.
 */
/** What an error of a database means for what was being done. */
enum SqlFailure {
  /** It may go away: all is done again, in a new transaction. */
  TRANSIENT,
  /** A row is to blame. */
  ROW,
  /** Nothing will help but a human. */
  FATAL;

  private static final Set<String> ROW_CLASSES = Set.of("22", "23", "44");
  private static final Set<String> FATAL_CLASSES = Set.of("28", "3D", "42");
  private static final Set<String> ROW_STATES = Set.of("P0001", "45000", "54000");
  private static final Set<String> TRANSIENT_CLASSES = Set.of("08", "40", "53", "57");
  private static final Set<String> TRANSIENT_STATES = Set.of("55P03", "25P03", "HYT00", "HYT01");
  private static final Set<Integer> TRANSIENT_CODES =
      Set.of(1205, 1213, 1927, 1969, 1317, 50_200, 90_131, 90_067, 90_121);
  private static final Set<Integer> ROW_CODES =
      Set.of(1264, 1265, 1366, 1406, 4025, 1292, 1526, 3819);

  /** Returns what an error means. */
  static SqlFailure of(Throwable error) {
    SQLException sql = sql(error);
    if (sql == null) {
      return FATAL;
    }
    String state = sql.getSQLState() == null ? "" : sql.getSQLState();
    String type = state.length() >= 2 ? state.substring(0, 2) : "";
    if (FATAL_CLASSES.contains(type)) {
      return FATAL;
    }
    int code = sql.getErrorCode();
    if (TRANSIENT_CODES.contains(code)
        || TRANSIENT_STATES.contains(state)
        || TRANSIENT_CLASSES.contains(type)) {
      return TRANSIENT;
    }
    if (ROW_CLASSES.contains(type)
        || ROW_STATES.contains(state)
        || ROW_CODES.contains(code)
        || sql instanceof SQLIntegrityConstraintViolationException) {
      return ROW;
    }
    boolean passing =
        sql instanceof SQLTransientException || sql instanceof SQLNonTransientConnectionException;
    return passing || isInputOutput(sql) ? TRANSIENT : FATAL;
  }

  private static boolean isInputOutput(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof java.io.IOException) {
        return true;
      }
    }
    return false;
  }

  /** Returns the database's error among the causes of an error, null if there is none. */
  static SQLException sql(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof BatchUpdateException batch && batch.getNextException() != null) {
        return batch.getNextException();
      }
      if (cause instanceof SQLException sql) {
        return sql;
      }
      if (!(cause instanceof DataAccessException) && cause.getCause() == cause) {
        return null;
      }
    }
    return null;
  }
}
