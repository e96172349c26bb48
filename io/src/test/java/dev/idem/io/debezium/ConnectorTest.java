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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.idem.io.debezium.DecodedEvent.Changes;
import dev.idem.io.debezium.DecodedEvent.Refused;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;

class ConnectorTest {
  private static final Schema COLUMNS = Schema.builder().addInt64Field("id").build();

  private static DecodedEvent decode(String connector, String op, String source) {
    String event =
        "{'op':'%s','after':{'id':1},'source':{'connector':'%s','name':'n','ts_ms':5,%s}}"
            .formatted(op, connector, source)
            .replace("\\'", "\\\"")
            .replace('\'', '"');
    return DebeziumDecoder.json(new DebeziumTable(COLUMNS, List.of("id"), connector))
        .decode(null, event.getBytes(StandardCharsets.UTF_8));
  }

  private static List<Object> sequence(String connector, String op, String source) {
    Changes changes = (Changes) decode(connector, op, source);
    return sequence(connector, changes.rows().get(0));
  }

  private static List<Object> sequence(String connector, Row row) {
    List<Object> values = new ArrayList<>();
    Connector.of(connector)
        .orElseThrow()
        .columns()
        .forEach(column -> values.add(row.getValue(column)));
    return values;
  }

  private static SourcePosition position(String connector, String op, String source) {
    return ((Changes) decode(connector, op, source)).position();
  }

  private static String postgres(String lastCommit, long lsn) {
    String commit = lastCommit == null ? "null" : "\\'" + lastCommit + "\\'";
    return "'db':'d','sequence':'[%s,\\'%d\\']','lsn':%d".formatted(commit, lsn, lsn);
  }

  /** The order of the sequences, as {@code ApplyChanges} has it for whole numbers. */
  private static int compare(List<Object> left, List<Object> right) {
    for (int i = 0; i < left.size(); i++) {
      int byPart =
          left.get(i) instanceof Long number
              ? Long.compare(number, (Long) right.get(i))
              : left.get(i).toString().compareTo(right.get(i).toString());
      if (byPart != 0) {
        return byPart;
      }
    }
    return 0;
  }

  private static void assertAscending(List<List<Object>> sequences) {
    List<List<Object>> sorted = new ArrayList<>(sequences);
    Collections.reverse(sorted);
    sorted.sort(ConnectorTest::compare);
    assertThat(sorted, equalTo(sequences));
  }

  @Test
  void postgresOrdersATransactionThatWasOpenAtTheSnapshotBehindIt() {
    // The snapshot is of 150; the changes were written before, and committed after it.
    assertAscending(
        List.of(
            sequence("postgresql", "r", postgres(null, 150)),
            sequence("postgresql", "u", postgres(null, 100)),
            sequence("postgresql", "u", postgres(null, 110)),
            sequence("postgresql", "u", postgres("160", 90)),
            sequence("postgresql", "u", postgres("160", 170)),
            sequence("postgresql", "u", postgres("180", 120))));
  }

  @Test
  void postgresOrdersASnapshotAmongChangesBehindTheTransactionBeforeIt() {
    assertAscending(
        List.of(
            sequence("postgresql", "u", postgres("100", 120)),
            sequence("postgresql", "r", postgres("130", 140)),
            sequence("postgresql", "u", postgres("130", 110)),
            sequence("postgresql", "u", postgres("130", 140))));
  }

  @Test
  void postgresBeforeThereWereSequencesHasThePositionAlone() {
    assertThat(sequence("postgresql", "u", "'lsn':7"), contains(7L, 7L));
    assertThat(position("postgresql", "u", "'lsn':7"), nullValue());
    assertThat(
        ((Refused) decode("postgresql", "u", "'lsn':7,'sequence':'x'")).column(),
        is("source.sequence"));
    assertThat(((Refused) decode("postgresql", "u", "'lsn':'7'")).column(), is("source.lsn"));
  }

  @Test
  void binlogFilesAreOrderedByTheirNumber() {
    assertAscending(
        List.of(
            sequence("mysql", "r", "'file':'mysql-bin.000009','pos':4"),
            sequence("mysql", "c", "'file':'mysql-bin.000009','pos':157,'row':0"),
            sequence("mysql", "c", "'file':'mysql-bin.000009','pos':157,'row':1"),
            sequence("mysql", "c", "'file':'mysql-bin.000009','pos':1000,'row':0"),
            sequence("mysql", "c", "'file':'mysql-bin.000010','pos':4,'row':0"),
            sequence("mysql", "c", "'file':'mysql-bin.999999','pos':4,'row':0"),
            sequence("mysql", "c", "'file':'mysql-bin.1000000','pos':4,'row':0")));
    assertThat(
        sequence("mariadb", "c", "'file':'maria.a.000002','pos':9,'row':3"), contains(2L, 9L, 3L));
    assertThat(((Refused) decode("mysql", "c", "'file':'','pos':4")).column(), is("source.file"));
    assertThat(((Refused) decode("mysql", "c", "'file':'b.1'")).column(), is("source.pos"));
    assertThat(
        position("mysql", "u", "'file':'b.000010','pos':4,'row':1"),
        equalTo(new SourcePosition("mysql/n", List.of(10L, 4L), 5)));
    assertThat(position("mysql", "r", "'file':'b.000010','pos':4"), nullValue());
  }

  @Test
  void positionsOfSqlServerAreThreeNumbers() {
    String commit = "'db':'d','commit_lsn':'%s','change_lsn':'%s','event_serial_no':%d";
    String early = "0000000A:000000ff:0003";
    String late = "0000000b:00000001:0001";

    assertAscending(
        List.of(
            sequence("sqlserver", "r", "'commit_lsn':'" + early + "'"),
            sequence("sqlserver", "u", commit.formatted(early, "0000000a:000000fe:0002", 1)),
            sequence("sqlserver", "u", commit.formatted(early, "0000000a:000000fe:0002", 2)),
            sequence("sqlserver", "u", commit.formatted(early, "0000000a:000000fe:000A", 1)),
            sequence("sqlserver", "u", commit.formatted(late, "00000009:00000000:0000", 1))));
    assertThat(
        sequence("sqlserver", "u", commit.formatted(early, late, 1)),
        contains("0000000a:000000ff:0003", late, 1L));
    assertThat(
        position("sqlserver", "u", commit.formatted(early, late, 1)),
        equalTo(new SourcePosition("sqlserver/n/d", List.of(10L, 255L, 3L), 5)));
    assertThat(
        ((Refused) decode("sqlserver", "u", "'commit_lsn':'7'")).rule(),
        is("A position must be three hexadecimal numbers of 8, 8 and 4 digits."));
    assertThat(
        ((Refused) decode("sqlserver", "u", "'change_lsn':'" + late + "'")).column(),
        is("source.commit_lsn"));
  }

  @Test
  void positionsAreComparedNumberByNumber() {
    Comparator<List<Long>> order = SourcePosition::compare;
    List<List<Long>> ascending =
        List.of(List.of(9L), List.of(9L, 1L), List.of(9L, 10L), List.of(10L, 0L));

    assertThat(ascending.stream().sorted(order.reversed()).sorted(order).toList(), is(ascending));
    assertThat(
        new SourcePosition("s", List.of(9L, 9L), 1)
            .isBefore(new SourcePosition("s", List.of(10L, 1L), 1)),
        is(true));
  }

  /** Returns the row of the table as it is when somebody else has read it. */
  private static Row loaded(String connector) {
    return DebeziumDecoder.json(new DebeziumTable(COLUMNS, List.of("id"), connector))
        .firstSnapshot(Row.withSchema(COLUMNS).addValue(1L).build(), 5);
  }

  @Test
  void whatIsLoadedIsBeforeTheFirstChangeOfTheLog() {
    assertThat(
        loaded("postgresql"),
        equalTo(((Changes) decode("postgresql", "r", postgres(null, 150))).rows().get(0)));
    assertAscending(
        List.of(
            sequence("postgresql", loaded("postgresql")),
            sequence("postgresql", "u", postgres(null, 1))));
    assertAscending(
        List.of(
            sequence("mysql", loaded("mysql")),
            sequence("mysql", "c", "'file':'b.000001','pos':4")));
    assertAscending(
        List.of(
            sequence("mariadb", loaded("mariadb")),
            sequence("mariadb", "c", "'file':'b.000001','pos':4")));
    assertAscending(
        List.of(
            sequence("sqlserver", loaded("sqlserver")),
            sequence("sqlserver", "c", "'commit_lsn':'00000000:00000000:0001'")));
  }
}
