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

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.idem.io.debezium.DebeziumDecoder;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.jdbctodelta.JdbcColumn.BadValueException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.io.jdbc.JdbcIO;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Makes an event of every row, a dead letter of one with a value that its column cannot hold.
 *
 * @param table the table's name
 * @param columns the columns, in the order in which they are read
 * @param schema the schema of the columns
 * @param before what makes change events of rows, null if the rows are the changes
 * @param time when the rows count as read, in milliseconds since 1970
 */
record ReadRow(
    String table,
    List<JdbcColumn> columns,
    Schema schema,
    @Nullable DebeziumDecoder before,
    long time)
    implements JdbcIO.RowMapper<Event> {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  @Override
  public Event mapRow(ResultSet result) throws SQLException, JsonProcessingException {
    List<@Nullable Object> values = new ArrayList<>(columns.size());
    try {
      for (int i = 0; i < columns.size(); i++) {
        values.add(columns.get(i).read(result, i + 1));
      }
    } catch (BadValueException e) {
      return Event.refused(origin(raw(result)), e.refused());
    }
    Row row = Row.withSchema(schema).attachValues(values);
    return Event.decoded(origin(null), before == null ? row : before.firstSnapshot(row, time));
  }

  private Event.Origin origin(byte @Nullable [] raw) {
    return new Event.Origin(table, 0, 0, 0, time, null, raw);
  }

  /** A dead letter shows the values as the database writes them. */
  private byte[] raw(ResultSet result) throws SQLException, JsonProcessingException {
    Map<String, @Nullable String> texts = new LinkedHashMap<>();
    for (int i = 0; i < columns.size(); i++) {
      texts.put(columns.get(i).name(), result.getString(i + 1));
    }
    return MAPPER.writeValueAsBytes(texts);
  }
}
