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

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Objects;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A row of the table that is captured, as PostgreSQL and as a Delta table hold it.
 *
 * @param document large enough to be stored outside the row (TOAST), so that updates which leave it
 *     alone do not send it
 */
record Account(
    long id,
    String owner,
    BigDecimal balance,
    boolean active,
    @Nullable String note,
    LocalDateTime opened,
    Instant changed,
    @Nullable String document) {

  static final String CREATE =
      """
      create table accounts (
        id bigint primary key,
        owner text not null,
        balance numeric(14, 2) not null,
        active boolean not null,
        note text,
        opened timestamp(6) not null,
        changed timestamptz not null,
        document text)
      """;

  static final String INSERT = "insert into accounts values (?, ?, ?, ?, ?, ?, ?, ?)";

  static Account of(Row row) {
    return new Account(
        Objects.requireNonNull(row.getInt64("id")),
        row.getString("owner"),
        row.<BigDecimal>getValue("balance"),
        Objects.requireNonNull(row.getBoolean("active")),
        row.getString("note"),
        row.<LocalDateTime>getValue("opened"),
        row.<Instant>getValue("changed"),
        row.getString("document"));
  }

  static Account of(ResultSet row) throws SQLException {
    return new Account(
        row.getLong("id"),
        row.getString("owner"),
        row.getBigDecimal("balance"),
        row.getBoolean("active"),
        row.getString("note"),
        row.getObject("opened", LocalDateTime.class),
        row.getObject("changed", OffsetDateTime.class).toInstant(),
        row.getString("document"));
  }

  void insert(Connection connection) throws SQLException {
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setLong(1, id);
      insert.setString(2, owner);
      insert.setBigDecimal(3, balance);
      insert.setBoolean(4, active);
      insert.setString(5, note);
      insert.setObject(6, opened, Types.TIMESTAMP);
      insert.setObject(7, changed.atOffset(ZoneOffset.UTC));
      insert.setString(8, document);
      insert.executeUpdate();
    }
  }
}
