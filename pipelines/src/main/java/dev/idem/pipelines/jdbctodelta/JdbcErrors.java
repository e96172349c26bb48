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
package dev.idem.pipelines.jdbctodelta;

import dev.idem.pipelines.failure.JobFailedException;
import dev.idem.pipelines.failure.JobRefusedException;
import java.sql.SQLException;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Every refusal and failure of loads, in one place, so that their wording stays one. */
final class JdbcErrors {

  private JdbcErrors() {}

  static IllegalArgumentException passwordInUrl() {
    return new IllegalArgumentException(
        "--jdbcUrl must not hold a password. Write it to a file, and give --passwordFile.");
  }

  static IllegalArgumentException noDriver(String url) {
    return new IllegalArgumentException(
        "--jdbcUrl must be that of a driver on the class path, but was: \""
            + url
            + "\". PostgreSQL's is there; name the jar of another one in IDEM_CLASSPATH.");
  }

  static JobFailedException notConnected(String url, @Nullable String user, SQLException e) {
    return new JobFailedException(
        "Database "
            + url
            + " must accept user \""
            + (user == null ? "" : user)
            + "\", but did not: "
            + e.getMessage()
            + " Check --jdbcUrl, --user and --passwordFile.");
  }

  static JobFailedException notRead(String what, SQLException e) {
    return new JobFailedException(
        "Database must give " + what + ", but did not: " + e.getMessage());
  }

  static IllegalArgumentException oneOf(String first, String second) {
    return new IllegalArgumentException(
        "Either " + first + " or " + second + " must be given, and not both.");
  }

  static IllegalArgumentException history() {
    return new IllegalArgumentException(
        "--scd must be 1 in a load, but was: 2. Rows are read as they are at different times, so that"
            + " a history would begin with values from later than its first version. Keep the"
            + " history by cdc-to-delta, from a snapshot that the connector takes.");
  }

  static IllegalArgumentException unknownConnector(String connector) {
    return new IllegalArgumentException(
        "--before must be postgresql, mysql, mariadb or sqlserver, but was: \""
            + connector
            + "\". Of other databases, order rows by --sequenceBy.");
  }

  static IllegalArgumentException noKeys(String table) {
    return new IllegalArgumentException(
        "Rows must be told apart by keys, but "
            + table
            + " has no primary key. Name columns by --keys; cdc-to-delta must have the same.");
  }

  static IllegalArgumentException noColumn(String option, String column, List<String> columns) {
    return new IllegalArgumentException(
        option + " must be one of the columns " + columns + ", but was: \"" + column + "\".");
  }

  static IllegalArgumentException unsupported(String column, String type) {
    return new IllegalArgumentException(
        "Column \""
            + column
            + "\" must have a type that a load reads, but has: "
            + type
            + ". Cast it in --query, or name the other columns in --schema=FILE.");
  }

  static IllegalArgumentException otherType(String column, String found, String declared) {
    return new IllegalArgumentException(
        "Column \""
            + column
            + "\" must be read as "
            + found
            + " or wider, but is declared as: "
            + declared
            + ". Correct --schema, or cast the column in --query.");
  }

  static IllegalArgumentException notAPartition(String column, String type) {
    return new IllegalArgumentException(
        "--partitionColumn must be a number or a timestamp, but \""
            + column
            + "\" is: "
            + type
            + ".");
  }

  static IllegalArgumentException noPartitionColumn(int partitions) {
    return new IllegalArgumentException(
        "--partitions="
            + partitions
            + " must come with --partitionColumn, since the table has no single key that is a"
            + " number.");
  }

  static IllegalArgumentException notPositive(String option, int value) {
    return new IllegalArgumentException(option + " must be at least 1, but was: " + value + ".");
  }

  static JobFailedException unbounded(String column) {
    return new JobFailedException(
        "Column \""
            + column
            + "\" must have finite values to partition a table by, but has an infinite one. Name"
            + " another --partitionColumn.");
  }

  static JobRefusedException otherDatabase(@Nullable String planned, String found) {
    return new JobRefusedException(
        "Database must be the one that the load was planned for, \""
            + planned
            + "\", but was: \""
            + found
            + "\". Point --jdbcUrl at that one, or start a new load with a new --applicationId and"
            + " --checkpoint.");
  }
}
