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

import dev.idem.io.checkpoint.Plan;
import dev.idem.pipelines.source.Source;
import java.math.BigInteger;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * The driver's view of a table that is loaded. A table is one partition with one offset, so there
 * is one batch, and behind it nothing to read.
 */
final class JdbcSession implements Source.Session {

  private static final String DATABASE = "database";

  /** The bits of a bound in microseconds that a timestamp of a table can have. */
  private static final int TIMESTAMP_BITS = 63;

  private final JdbcSource source;
  private final Connection connection;
  private @Nullable Extent extent;

  /**
   * How large a table is.
   *
   * @param lower the bound at or below its rows in the partition column, null if it has none there
   * @param upper the bound above them
   */
  private record Extent(long rows, @Nullable BigInteger lower, @Nullable BigInteger upper) {}

  JdbcSession(JdbcSource source) {
    this.source = source;
    this.connection = source.database().connect();
  }

  @Override
  public Map<String, String> identity() {
    try {
      String product = connection.getMetaData().getDatabaseProductName();
      return Map.of(DATABASE, product + " " + connection.getCatalog());
    } catch (SQLException e) {
      throw JdbcErrors.notRead("its name", e);
    }
  }

  private List<Source.Position> at(long offset) {
    return List.of(new Source.Position(source.table().name(), 0, offset, -1));
  }

  @Override
  public List<Source.Position> limits() {
    return at(1);
  }

  @Override
  public List<Source.Position> starts(List<Source.Position> limits) {
    return at(0);
  }

  @Override
  public List<Source.Position> earliest(List<Source.Position> partitions) {
    return partitions.isEmpty() ? List.of() : at(0);
  }

  @Override
  public void verify(Plan last, List<Source.Position> limits) {
    String planned = last.source().get(DATABASE);
    String found = identity().get(DATABASE);
    if (!found.equals(planned)) {
      throw JdbcErrors.otherDatabase(planned, found);
    }
  }

  @Override
  public Optional<Schema> schema(List<Plan.Range> first, List<Source.Position> limits) {
    return Optional.of(source.columns());
  }

  @Override
  public long records(List<Plan.Range> ranges) {
    return ranges.get(0).size() == 0 ? 0 : extent().rows();
  }

  @Override
  public Map<String, String> readBy(List<Plan.Range> ranges) {
    Map<String, String> by = new TreeMap<>();
    if (ranges.get(0).size() > 0 && source.partitionColumn() != null) {
      by.put(JdbcSource.COLUMN, source.partitionColumn());
      Extent found = extent();
      if (found.lower() != null) {
        by.put(JdbcSource.LOWER, found.lower().toString());
        by.put(JdbcSource.UPPER, found.upper().toString());
        by.put(JdbcSource.PARTITIONS, Integer.toString(source.partitions(found.rows())));
      }
    }
    return by;
  }

  private Extent extent() {
    if (extent == null) {
      extent = readExtent();
    }
    return extent;
  }

  private Extent readExtent() {
    JdbcTable table = source.table();
    String column = source.partitionColumn();
    String bounds = column == null ? "" : ", min(%1$s), max(%1$s)".formatted(table.sql(column));
    String query = "select count(*)%s from %s".formatted(bounds, table.from());
    try (PreparedStatement statement = connection.prepareStatement(query);
        ResultSet found = statement.executeQuery()) {
      found.next();
      long rows = found.getLong(1);
      if (column == null) {
        return new Extent(rows, null, null);
      }
      PartitionBounds kind = source.bounds(column);
      BigInteger lower = kind.bound(found, 2);
      BigInteger last = kind.bound(found, 3);
      if (lower != null && kind.isTime()) {
        requireFinite(column, lower, last);
      }
      return new Extent(rows, lower, lower == null ? null : last.add(BigInteger.ONE));
    } catch (SQLException e) {
      throw JdbcErrors.notRead("the size of table " + table.name(), e);
    } catch (DateTimeException e) {
      throw JdbcErrors.unbounded(column);
    }
  }

  private static void requireFinite(String column, BigInteger lower, BigInteger last) {
    if (lower.bitLength() > TIMESTAMP_BITS || last.bitLength() > TIMESTAMP_BITS) {
      throw JdbcErrors.unbounded(column);
    }
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw JdbcErrors.notRead("its connection back", e);
    }
  }
}
