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
import java.sql.SQLException;
import java.sql.Savepoint;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.random.RandomGenerator;

/**
 * One connection of the workload. Its statements are the same for the same seed; which of them come
 * between those of others is up to the database. It changes rows of its own, and adds to the
 * balances of a few that all share.
 */
final class Teller {

  /** Rows that all tellers add to, and none deletes. */
  static final int SHARED = 8;

  private static final String UNIQUE_VIOLATION = "23505";
  private static final int MOST_STEPS = 4;
  private static final int LARGE = 3_000;
  private static final LocalDateTime EARLIEST = LocalDateTime.parse("2020-01-01T00:00:00");
  private static final OffsetDateTime FIRST_CHANGE = OffsetDateTime.parse("2026-01-01T00:00:00Z");

  private final int number;
  private final int tellers;
  private final RandomGenerator random;
  private Rows rows;
  private boolean addedToShared;

  /**
   * The rows of a teller.
   *
   * @param live keys that there are
   * @param free keys that there were
   * @param keys how many keys there have been
   */
  private record Rows(List<Long> live, List<Long> free, int keys) {
    Rows copy() {
      return new Rows(new ArrayList<>(live), new ArrayList<>(free), keys);
    }
  }

  Teller(int number, int tellers, long seed) {
    this.number = number;
    this.tellers = tellers;
    this.random = new Random(seed + number);
    this.rows = new Rows(new ArrayList<>(), new ArrayList<>(), 0);
  }

  /** Inserts the shared rows. */
  static void insertShared(Connection connection, long seed) throws SQLException {
    RandomGenerator random = new Random(seed);
    for (long id = 1; id <= SHARED; id++) {
      account(id, random).insert(connection);
    }
  }

  /** Inserts some rows of its own. */
  void insert(Connection connection, int count) throws SQLException {
    for (int i = 0; i < count; i++) {
      insertOne(connection);
    }
  }

  /**
   * Runs one transaction on a connection that does not commit by itself.
   *
   * @param waits called where others may come in between
   */
  Tally transaction(Connection connection, Runnable waits) throws SQLException {
    boolean rollsBack = chance(10);
    Rows before = rows.copy();
    addedToShared = false;
    Tally done = steps(connection, 1 + random.nextInt(MOST_STEPS));
    if (chance(3)) {
      waits.run();
    }
    if (chance(5)) {
      Rows kept = rows.copy();
      Savepoint savepoint = connection.setSavepoint();
      steps(connection, 2);
      connection.rollback(savepoint);
      rows = kept;
    }
    if (!rollsBack) {
      connection.commit();
      return done.commit();
    }
    if (random.nextBoolean()) {
      violate(connection);
    }
    connection.rollback();
    rows = before;
    return Tally.rollback();
  }

  private boolean chance(int percent) {
    return random.nextInt(100) < percent;
  }

  private Tally steps(Connection connection, int count) throws SQLException {
    Tally done = Tally.NOTHING;
    for (int i = 0; i < count; i++) {
      done = done.plus(step(connection));
    }
    return done;
  }

  private Tally step(Connection connection) throws SQLException {
    int kind = random.nextInt(100);
    if (kind < 28 || rows.live().size() < 3) {
      insertOne(connection);
      return Tally.inserted(1);
    }
    if (kind < 60) {
      return Tally.updated(update(connection));
    }
    if (kind < 75) {
      return Tally.updated(transfer(connection));
    }
    if (kind < 88) {
      delete(connection);
      return Tally.deleted(1);
    }
    move(connection);
    return Tally.moved(1);
  }

  private void insertOne(Connection connection) throws SQLException {
    long id = chance(30) ? freeKey() : newKey();
    account(id, random).insert(connection);
    rows.live().add(id);
  }

  private long update(Connection connection) throws SQLException {
    switch (random.nextInt(4)) {
      case 0 -> {
        Long[] some = {anyKey(), anyKey(), anyKey()};
        int different = (int) List.of(some).stream().distinct().count();
        run(
            connection,
            different,
            "update accounts set balance = balance + ?, changed = ? where id = any(?)",
            amount(random),
            changed(random),
            connection.createArrayOf("bigint", some));
        return different;
      }
      case 1 ->
          run(
              connection,
              1,
              "update accounts set note = ?, active = not active where id = ?",
              note(random),
              anyKey());
      case 2 ->
          run(
              connection,
              1,
              "update accounts set document = ? where id = ?",
              document(random),
              anyKey());
      default ->
          // Nothing changes, and yet it is an event.
          run(connection, 1, "update accounts set owner = owner where id = ?", anyKey());
    }
    return 1;
  }

  private long transfer(Connection connection) throws SQLException {
    BigDecimal amount = amount(random);
    String add = "update accounts set balance = balance + ? where id = ?";
    run(connection, 1, add, amount.negate(), anyKey());
    long shared = 1L + random.nextInt(SHARED);
    if (addedToShared) {
      return 1;
    }
    // Never two of them, or two tellers would wait for one another.
    addedToShared = true;
    run(connection, 1, add, amount, shared);
    return 2;
  }

  private void delete(Connection connection) throws SQLException {
    long id = takeKey();
    run(connection, 1, "delete from accounts where id = ?", id);
    rows.free().add(id);
  }

  private void move(Connection connection) throws SQLException {
    long from = takeKey();
    long to = chance(50) ? freeKey() : newKey();
    // A new row has to carry its document: nobody has one of that key.
    run(
        connection,
        1,
        "update accounts set id = ?, document = document || '' where id = ?",
        to,
        from);
    rows.free().add(from);
    rows.live().add(to);
  }

  private static void violate(Connection connection) throws SQLException {
    try {
      account(1, new Random(0)).insert(connection);
    } catch (SQLException e) {
      if (e.getSQLState().equals(UNIQUE_VIOLATION)) {
        return;
      }
      throw e;
    }
    throw CdcErrors.rows(Account.INSERT, 0, 1);
  }

  private static void run(Connection connection, int wanted, String sql, Object... values)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < values.length; i++) {
        statement.setObject(i + 1, values[i]);
      }
      int changed = statement.executeUpdate();
      if (changed != wanted) {
        throw CdcErrors.rows(sql, wanted, changed);
      }
    }
  }

  private long newKey() {
    rows = new Rows(rows.live(), rows.free(), rows.keys() + 1);
    return 1_000L + (long) rows.keys() * tellers + number;
  }

  private long freeKey() {
    List<Long> free = rows.free();
    return free.isEmpty() ? newKey() : free.remove(random.nextInt(free.size()));
  }

  private long anyKey() {
    return rows.live().get(random.nextInt(rows.live().size()));
  }

  private long takeKey() {
    return rows.live().remove(random.nextInt(rows.live().size()));
  }

  private static Account account(long id, RandomGenerator random) {
    return new Account(
        id,
        "owner " + random.nextInt(1_000),
        amount(random),
        random.nextBoolean(),
        note(random),
        EARLIEST.plus(random.nextLong(1L << 47), ChronoUnit.MICROS),
        changed(random).toInstant(),
        document(random));
  }

  private static BigDecimal amount(RandomGenerator random) {
    return BigDecimal.valueOf(random.nextLong(-99_999_999, 100_000_000), 2);
  }

  private static String note(RandomGenerator random) {
    return switch (random.nextInt(3)) {
      case 0 -> null;
      case 1 -> "";
      default -> "\u201cn\u00f6te\u201d " + random.nextInt(1_000_000);
    };
  }

  private static OffsetDateTime changed(RandomGenerator random) {
    return FIRST_CHANGE.plus(random.nextLong(1L << 44), ChronoUnit.MICROS);
  }

  private static String document(RandomGenerator random) {
    if (random.nextInt(8) > 0) {
      return null;
    }
    StringBuilder text = new StringBuilder(LARGE + 16);
    while (text.length() < LARGE) {
      text.append(Long.toHexString(random.nextLong()));
    }
    return text.toString();
  }
}
