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
}
