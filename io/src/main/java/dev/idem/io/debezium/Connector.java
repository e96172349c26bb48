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
package dev.idem.io.debezium;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * PostgreSQL. The position of a row's change in the log (lsn) orders the changes of a row, since
 * the second of two transactions that change it waits for the first. It does not order them against
 * a snapshot: a transaction that has written before the snapshot's point but commits after it is
 * not in the snapshot, yet its positions are lower. So what the connector says of the stream comes
 * first: where the last transaction before this one ended (source.sequence, its first part). The
 * first transaction after a snapshot has no such, and neither have the snapshot's rows: they are
 * before everything, and the change is at its own position. Rows of a snapshot that is taken while
 * changes are streamed have it, and are behind all of that transaction.
 *
 * MySQL and MariaDB write a transaction into the log when it commits, and a snapshot has the log's
 * position at which it was taken: file, position, and row in the event. Names of files end in a
 * number that grows beyond its leading zeros.
 *
 * SQL Server: the transaction's position, that of the change, and a number that orders the two
 * halves of an update.
 */
/** The connectors whose positions in the source's log order changes. */
enum Connector {
  POSTGRESQL("postgresql", "__commit_lsn", "__lsn") {
    @Override
    List<Object> sequence(Map<String, Object> source, boolean snapshot) throws BadEventException {
      Long commit = lastCommit(source);
      if (snapshot) {
        return List.of(commit == null ? 0L : commit, 0L);
      }
      Long lsn = number(source, "lsn");
      if (lsn == null) {
        throw noPosition("lsn");
      }
      return List.of(commit == null ? lsn : commit, lsn);
    }

    @Override
    @Nullable List<Long> position(Map<String, Object> source) throws BadEventException {
      Long commit = lastCommit(source);
      return commit == null ? null : List.of(commit);
    }

    @Override
    String log(Map<String, Object> source) {
      return text(source, "db");
    }
  },

  MYSQL("mysql", "__file", "__pos", "__row") {
    @Override
    List<Object> sequence(Map<String, Object> source, boolean snapshot) throws BadEventException {
      return List.copyOf(binlog(source));
    }

    @Override
    List<Long> position(Map<String, Object> source) throws BadEventException {
      return binlog(source).subList(0, 2);
    }
  },

  MARIADB("mariadb", "__file", "__pos", "__row") {
    @Override
    List<Object> sequence(Map<String, Object> source, boolean snapshot) throws BadEventException {
      return MYSQL.sequence(source, snapshot);
    }

    @Override
    @Nullable List<Long> position(Map<String, Object> source) throws BadEventException {
      return MYSQL.position(source);
    }
  },

  SQLSERVER("sqlserver", "__commit_lsn", "__change_lsn", "__event_serial_no") {
    @Override
    List<Object> sequence(Map<String, Object> source, boolean snapshot) throws BadEventException {
      List<Long> commit = lsn(source, "commit_lsn");
      if (commit == null) {
        throw noPosition("commit_lsn");
      }
      List<Long> change = lsn(source, "change_lsn");
      Long serial = number(source, "event_serial_no");
      return List.of(
          lsnText(commit),
          lsnText(change == null ? List.of(0L, 0L, 0L) : change),
          serial == null ? 0L : serial);
    }

    @Override
    @Nullable List<Long> position(Map<String, Object> source) throws BadEventException {
      return lsn(source, "commit_lsn");
    }

    @Override
    String log(Map<String, Object> source) {
      return text(source, "db");
    }

    @Override
    List<Object> beforeEverything() {
      String first = lsnText(List.of(0L, 0L, 0L));
      return List.of(first, first, 0L);
    }

    @Override
    FieldType type(String column) {
      return column.equals("__event_serial_no") ? FieldType.INT64 : FieldType.STRING;
    }
  };

  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final Pattern BINLOG = Pattern.compile(".*\\.(\\d{1,18})");
  private static final int HEX = 16;

  /** A position in SQL Server's log, three numbers that are never longer than this. */
  private static final Pattern LSN =
      Pattern.compile("([0-9a-fA-F]{8}):([0-9a-fA-F]{8}):([0-9a-fA-F]{4})");

  private final String label;

  @SuppressWarnings("ImmutableEnumChecker") // List.of is immutable.
  private final List<String> columns;

  Connector(String label, String... columns) {
    this.label = label;
    this.columns = List.of(columns);
  }

  /** Returns the connector that an event's source names, if it is one of these. */
  static Optional<Connector> of(String name) {
    return Arrays.stream(values()).filter(each -> each.label.equals(name)).findFirst();
  }

  /** Returns the connector's name, as {@code source.connector} has it. */
  String label() {
    return label;
  }

  /** Returns the names of the columns that order the changes of a row. */
  List<String> columns() {
    return columns;
  }

  List<Field> fields() {
    return columns.stream().map(column -> Field.nullable(column, type(column))).toList();
  }

  FieldType type(String column) {
    return FieldType.INT64;
  }

  /**
   * Returns the values of {@link #columns()}.
   *
   * @param snapshot whether the event was read from the table, not from the log
   */
  abstract List<Object> sequence(Map<String, Object> source, boolean snapshot)
      throws BadEventException;

  /** Returns the values of {@link #columns()} before those of every change of the log. */
  List<Object> beforeEverything() {
    return List.copyOf(Collections.nCopies(columns.size(), 0L));
  }

  /**
   * Returns a position that never decreases from one event of the log to the next; null if the
   * event does not say.
   */
  abstract @Nullable List<Long> position(Map<String, Object> source) throws BadEventException;

  /** Tells logs of one server apart. */
  String log(Map<String, Object> source) {
    return "";
  }

  static String text(Map<String, Object> source, String name) {
    return ColumnValue.plain(source.get(name)) instanceof String text ? text : "";
  }

  static @Nullable Long number(Map<String, Object> source, String name) throws BadEventException {
    Object value = ColumnValue.plain(source.get(name));
    if (value != null && !(value instanceof Long)) {
      throw BadEventException.parse("source." + name, "The number must be one of 64 bits.");
    }
    return (Long) value;
  }

  private static BadEventException noPosition(String name) {
    return BadEventException.missing(
        "source." + name, "An event must have its position in the source's log.");
  }

  private static @Nullable Long lastCommit(Map<String, Object> source) throws BadEventException {
    String sequence = text(source, "sequence");
    if (sequence.isEmpty()) {
      return null;
    }
    try {
      JsonNode commit = MAPPER.readTree(sequence).path(0);
      return commit.isTextual() ? Long.valueOf(commit.textValue()) : null;
    } catch (JsonProcessingException | NumberFormatException e) {
      throw BadEventException.parse(
          "source.sequence", "The sequence must be a JSON array of two positions.");
    }
  }

  private static List<Long> binlog(Map<String, Object> source) throws BadEventException {
    Matcher file = BINLOG.matcher(text(source, "file"));
    Long position = number(source, "pos");
    if (!file.matches() || position == null) {
      throw noPosition(file.matches() ? "pos" : "file");
    }
    Long row = number(source, "row");
    return List.of(Long.valueOf(file.group(1)), position, row == null ? 0L : row);
  }

  private static @Nullable List<Long> lsn(Map<String, Object> source, String name)
      throws BadEventException {
    String text = text(source, name);
    if (text.isEmpty()) {
      return null;
    }
    Matcher lsn = LSN.matcher(text);
    if (!lsn.matches()) {
      throw BadEventException.parse(
          "source." + name, "A position must be three hexadecimal numbers of 8, 8 and 4 digits.");
    }
    return List.of(
        Long.parseLong(lsn.group(1), HEX),
        Long.parseLong(lsn.group(2), HEX),
        Long.parseLong(lsn.group(3), HEX));
  }

  /** All have one length and one case, so they are in order as texts, too. */
  private static String lsnText(List<Long> lsn) {
    return "%08x:%08x:%04x".formatted(lsn.get(0), lsn.get(1), lsn.get(2));
  }
}
