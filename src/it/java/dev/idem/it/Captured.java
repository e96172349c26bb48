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
package dev.idem.it;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.testing.CapturedDatabase;
import dev.idem.testing.CapturedDatabase.Sent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What a connector sends, up to a mark that is set in the database. */
final class Captured {

  /** The table that marks are set in; a connector that is read up to now must capture it. */
  static final String MARKS = "public.marks";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private static final CapturedDatabase DATABASE = CapturedDatabase.shared();

  static {
    DATABASE.sql("create table marks (id serial primary key)");
  }

  private Captured() {}

  /** Returns the database of this JVM. */
  static CapturedDatabase database() {
    return DATABASE;
  }

  private static boolean isMark(Sent sent) {
    return sent.topic().endsWith(".marks");
  }

  /** Returns the next records that a connector sends. */
  static List<Sent> next(String connector, int count) {
    List<Sent> records = new ArrayList<>();
    while (records.size() < count) {
      Sent sent = DATABASE.next(connector);
      if (!isMark(sent)) {
        records.add(sent);
      }
    }
    return records;
  }

  /** Returns what a connector sends up to now. */
  static List<Sent> untilNow(String connector) throws IOException {
    String mark = DATABASE.ask("insert into marks default values returning id");
    List<Sent> records = new ArrayList<>();
    Sent sent = DATABASE.next(connector);
    while (!isMark(sent) || !payload(sent.key()).path("id").asText().equals(mark)) {
      if (!isMark(sent)) {
        records.add(sent);
      }
      sent = DATABASE.next(connector);
    }
    return records;
  }

  /** Returns what a converter wrote, without the schema that it may have written too. */
  static JsonNode payload(byte[] json) throws IOException {
    JsonNode all = MAPPER.readTree(json);
    return all.has("payload") ? all.path("payload") : all;
  }

  /**
   * Begins to capture a table while a transaction is open that has changed it before the slot's
   * point. What the transaction changed is not in a snapshot, but is sent once it has ended.
   *
   * @param statement what the transaction does
   * @return the session to end the transaction in
   */
  static String captureBesideOpen(
      String connector, String table, String statement, String... settings) {
    // The slot waits for the transactions that are open when it is made, and once more for those
    // that began meanwhile; of one that began after that, it sends the changes.
    String first = begin(connector + "-first");
    DATABASE.capture(connector, table + "," + MARKS, true, settings);
    awaitSlotWaits(first);
    String second = begin(connector + "-second");
    DATABASE.in(connector + "-first", "commit");
    awaitSlotWaits(second);
    String third = connector + "-third";
    DATABASE.in(third, "begin");
    DATABASE.in(third, statement);
    DATABASE.in(connector + "-second", "commit");
    return third;
  }

  private static String begin(String session) {
    DATABASE.in(session, "begin");
    return DATABASE.askIn(session, "select pg_current_xact_id()::xid::text");
  }

  private static void awaitSlotWaits(String transaction) {
    DATABASE.await(
        "select exists (select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid where"
            + " a.backend_type = 'walsender' and l.locktype = 'transactionid' and not l.granted and"
            + " l.transactionid::text = '"
            + transaction
            + "')");
  }
}
