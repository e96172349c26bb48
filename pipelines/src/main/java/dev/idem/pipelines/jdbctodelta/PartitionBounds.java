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

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.io.jdbc.JdbcReadWithPartitionsHelper;
import org.apache.beam.sdk.values.KV;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * How a column's values divide a table: into stretches of whole numbers, or of microseconds since
 * 1970, that are next to each other. A bound is a whole number, the upper one behind the last
 * value, so that the greatest value there can be has its place, too.
 *
 * @param kind how the column is read
 */
record PartitionBounds(JdbcColumn.Kind kind) implements JdbcReadWithPartitionsHelper<BigInteger> {

  private static final BigInteger LEAST_LONG = BigInteger.valueOf(Long.MIN_VALUE);
  private static final BigInteger GREATEST_LONG = BigInteger.valueOf(Long.MAX_VALUE);
  private static final long MICROS_A_SECOND = 1_000_000;
  private static final int NANOS_A_MICRO = 1_000;

  /** Returns whether a column's values can divide a table. */
  static boolean canDivide(JdbcColumn column) {
    return switch (column.kind()) {
      case WHOLE, DECIMAL, TIMESTAMP, INSTANT -> true;
      default -> false;
    };
  }

  /** Returns whether a column is a number that can divide a table. */
  static boolean isNumber(@Nullable JdbcColumn column) {
    return column != null && canDivide(column) && !new PartitionBounds(column.kind()).isTime();
  }

  /** Returns whether bounds are microseconds. */
  boolean isTime() {
    return kind == JdbcColumn.Kind.TIMESTAMP || kind == JdbcColumn.Kind.INSTANT;
  }

  /** Returns the bound at or below a value of a result, null for null. */
  @Nullable BigInteger bound(ResultSet result, int index) throws SQLException {
    return switch (kind) {
      case TIMESTAMP -> {
        LocalDateTime value = result.getObject(index, LocalDateTime.class);
        yield value == null ? null : micros(value.toInstant(ZoneOffset.UTC));
      }
      case INSTANT -> {
        OffsetDateTime value = result.getObject(index, OffsetDateTime.class);
        yield value == null ? null : micros(value.toInstant());
      }
      default -> {
        BigDecimal value = result.getBigDecimal(index);
        yield value == null ? null : value.setScale(0, RoundingMode.FLOOR).toBigInteger();
      }
    };
  }

  private static BigInteger micros(Instant value) {
    return BigInteger.valueOf(value.getEpochSecond())
        .multiply(BigInteger.valueOf(MICROS_A_SECOND))
        .add(BigInteger.valueOf(value.getNano() / NANOS_A_MICRO));
  }

  private static Instant instant(BigInteger micros) {
    BigInteger[] parts = micros.divideAndRemainder(BigInteger.valueOf(MICROS_A_SECOND));
    return Instant.ofEpochSecond(
        parts[0].longValueExact(), parts[1].longValueExact() * NANOS_A_MICRO);
  }

  /** Returns stretches of one length, the last one cut at the upper bound. */
  @Override
  public List<KV<BigInteger, BigInteger>> calculateRanges(
      BigInteger lower, BigInteger upper, Long partitions) {
    BigInteger count = BigInteger.valueOf(partitions);
    BigInteger length =
        upper.subtract(lower).add(count).subtract(BigInteger.ONE).divide(count).max(BigInteger.ONE);
    List<KV<BigInteger, BigInteger>> ranges = new ArrayList<>();
    for (BigInteger start = lower; start.compareTo(upper) < 0; start = start.add(length)) {
      ranges.add(KV.of(start, start.add(length).min(upper)));
    }
    return ranges;
  }

  @Override
  public void setParameters(KV<BigInteger, BigInteger> range, PreparedStatement statement) {
    try {
      set(statement, 1, range.getKey());
      set(statement, 2, range.getValue());
    } catch (SQLException e) {
      throw new IllegalStateException("Cannot bind a range of the partition column.", e);
    }
  }

  private void set(PreparedStatement statement, int index, BigInteger bound) throws SQLException {
    switch (kind) {
      case TIMESTAMP ->
          statement.setObject(index, LocalDateTime.ofInstant(instant(bound), ZoneOffset.UTC));
      case INSTANT -> statement.setObject(index, instant(bound).atOffset(ZoneOffset.UTC));
      default -> {
        // As another type, an index of the column would not be used.
        if (bound.compareTo(LEAST_LONG) >= 0 && bound.compareTo(GREATEST_LONG) <= 0) {
          statement.setLong(index, bound.longValue());
        } else {
          statement.setBigDecimal(index, new BigDecimal(bound));
        }
      }
    }
  }

  /** The bounds are in the plan; the pipeline asks for none. */
  @Override
  public KV<Long, KV<BigInteger, BigInteger>> mapRow(ResultSet result) {
    throw new UnsupportedOperationException("Bounds must be given.");
  }
}
