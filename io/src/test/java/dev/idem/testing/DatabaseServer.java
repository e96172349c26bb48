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
package dev.idem.testing;

import java.sql.Array;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A database of a real server on a free loopback port: PostgreSQL or MariaDB in processes of their
 * own, or H2 in this JVM. There is one server of each in a JVM, started when first asked for and
 * ended with the JVM, however it ends; a test class takes a database of its own by {@link #fresh}.
 * PostgreSQL commits synchronously, as it does by default; no server forces its files, unless a
 * server of the caller's own is told to.
 */
public final class DatabaseServer implements AutoCloseable {
  /** The user of PostgreSQL and MariaDB, who may do everything. */
  public static final String USER = "idem_writer";

  /** The password of {@link #USER}, distinctive so that tests can search for it. */
  public static final String PASSWORD = "dAtabase-must-never-be-seen";

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private enum Product {
    POSTGRES("PostgreSQL", "org.postgresql.Driver", "jdbc:postgresql://127.0.0.1:%d/%s"),
    MARIADB("MariaDB", "org.mariadb.jdbc.Driver", "jdbc:mariadb://127.0.0.1:%d/%s"),
    H2("H2", "org.h2.Driver", "jdbc:h2:mem:%2$s;DB_CLOSE_DELAY=-1");

    private final String title;
    private final String driver;
    private final String url;

    Product(String title, String driver, String url) {
      this.title = title;
      this.driver = driver;
      this.url = url;
    }
  }

  private final Product product;
  private final int port;
  private final String database;

  /** Ends the server; null if it is not the caller's own. */
  private final Runnable end;

  private DatabaseServer(Product product, int port, String database, Runnable end) {
    this.product = product;
    this.port = port;
    this.database = database;
    this.end = end;
  }

  /** Returns the PostgreSQL of this JVM. */
  public static DatabaseServer postgres() {
    return SharedPostgres.SERVER;
  }

  /** Returns the MariaDB of this JVM. */
  public static DatabaseServer mariaDb() {
    return SharedMariaDb.SERVER;
  }

  /** Returns an H2 in memory by its name; it stays while the JVM does. */
  public static DatabaseServer h2(String name) {
    return new DatabaseServer(Product.H2, 0, name, null);
  }

  /**
   * Starts a PostgreSQL of the caller's own, who closes it.
   *
   * @param settings of the server, as in postgresql.conf, for example fsync to on
   */
  public static DatabaseServer startPostgres(Map<String, String> settings) {
    PostgresProcess process = PostgresProcess.start(settings, USER, PASSWORD);
    return new DatabaseServer(Product.POSTGRES, process.port(), "postgres", process::close);
  }

  /**
   * Starts a MariaDB of the caller's own, who closes it.
   *
   * @param settings of the server, as on its command line without the leading dashes
   */
  public static DatabaseServer startMariaDb(Map<String, String> settings) {
    String database = "test";
    MariaDbProcess process = MariaDbProcess.start(settings, USER, PASSWORD, database);
    return new DatabaseServer(Product.MARIADB, process.port(), database, process::close);
  }

  /** Creates an empty database on the same server, in which no other test is. */
  public DatabaseServer fresh(String name) {
    String unique =
        name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_")
            + "_"
            + DATABASES.incrementAndGet();
    if (product == Product.POSTGRES) {
      // The other template is in use while somebody else creates a database.
      execute("CREATE DATABASE " + unique + " TEMPLATE template0");
    } else if (product == Product.MARIADB) {
      execute("CREATE DATABASE " + unique);
    }
    return new DatabaseServer(product, port, unique, null);
  }

  /** Returns the product: PostgreSQL, MariaDB or H2. */
  public String name() {
    return product.title;
  }

  /** Returns the URL of the database, to which parameters can be appended. */
  public String jdbcUrl() {
    return product.url.formatted(port, database);
  }

  /** Returns the URL of the database behind another port of this host, such as a proxy's. */
  public String jdbcUrl(int otherPort) {
    port();
    return product.url.formatted(otherPort, database);
  }

  /** Returns the port on the loopback address. */
  public int port() {
    if (product == Product.H2) {
      throw new IllegalStateException(
          "A server must have a port, but was: H2 in memory. Use PostgreSQL or MariaDB.");
    }
    return port;
  }

  /** Returns the name of the database. */
  public String database() {
    return database;
  }

  /** Returns the user to connect as. */
  public String user() {
    return product == Product.H2 ? "sa" : USER;
  }

  /** Returns the password of the user. */
  public String password() {
    return product == Product.H2 ? "" : PASSWORD;
  }

  /** Returns the class of the driver. */
  public String driverClass() {
    return product.driver;
  }

  /** Connects to the database. */
  public Connection connect() throws SQLException {
    return DriverManager.getConnection(jdbcUrl(), user(), password());
  }

  /** Runs statements, each in a transaction of its own. */
  public void execute(String... statements) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException("The statement must run on %s.".formatted(this), e);
    }
  }

  /**
   * Returns the rows of a query as values that can be compared and outlive the connection: those of
   * the driver, but bytes as hexadecimal text, arrays as lists, and long texts and what only the
   * driver knows as text.
   */
  public List<List<Object>> query(String sql) {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet found = statement.executeQuery(sql)) {
      int columns = found.getMetaData().getColumnCount();
      List<List<Object>> rows = new ArrayList<>();
      while (found.next()) {
        List<Object> row = new ArrayList<>();
        for (int column = 1; column <= columns; column++) {
          row.add(comparable(found.getObject(column)));
        }
        rows.add(row);
      }
      return rows;
    } catch (SQLException e) {
      throw new IllegalStateException("The query must run on %s.".formatted(this), e);
    }
  }

  private static Object comparable(Object value) throws SQLException {
    if (value instanceof byte[] bytes) {
      return HexFormat.of().formatHex(bytes);
    }
    if (value instanceof Clob text) {
      return text.getSubString(1, (int) text.length());
    }
    if (value instanceof Array array) {
      List<Object> items = new ArrayList<>();
      for (Object item : (Object[]) array.getArray()) {
        items.add(comparable(item));
      }
      return items;
    }
    if (value instanceof Object[] array) {
      List<Object> items = new ArrayList<>();
      for (Object item : array) {
        items.add(comparable(item));
      }
      return items;
    }
    return value == null || value.getClass().getName().startsWith("java.")
        ? value
        : value.toString();
  }

  /** Ends a server of the caller's own; the one of the JVM ends with the JVM. */
  @Override
  public void close() {
    if (end != null) {
      end.run();
    }
  }

  /** Returns the product and the database, for names of tests. */
  @Override
  public String toString() {
    return name() + " " + database;
  }

  /** Holds the PostgreSQL of this JVM; it is started when first asked for. */
  private static final class SharedPostgres {
    static final DatabaseServer SERVER = notClosable(startPostgres(Map.of()));
  }

  /** Holds the MariaDB of this JVM; it is started when first asked for. */
  private static final class SharedMariaDb {
    static final DatabaseServer SERVER = notClosable(startMariaDb(Map.of()));
  }

  private static DatabaseServer notClosable(DatabaseServer own) {
    return new DatabaseServer(own.product, own.port, own.database, null);
  }
}
