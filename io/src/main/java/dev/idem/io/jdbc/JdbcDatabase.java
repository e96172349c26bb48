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
package dev.idem.io.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Where a database is, and as whom it is asked. All writes of a process that name the same one
 * share its connections.
 *
 * <p><b>Guarantee.</b> The password is in no pipeline, log or error: it is in a file, which every
 * process reads for itself when it connects. A URL with a password is refused.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * JdbcDatabase.at("jdbc:postgresql://db.example.org/shop?sslmode=verify-full")
 *     .as("writer")
 *     .withPasswordFile(Path.of("/run/secrets/db"));
 * }</pre>
 *
 * @param url the JDBC URL, with settings of the driver such as those of TLS
 * @param user as whom, null if the URL says it
 * @param passwordFile a file that holds the password, null if none is needed
 * @param connections how many connections a process has at most
 * @param properties settings of the driver beside those in the URL
 */
public record JdbcDatabase(
    String url,
    @Nullable String user,
    @Nullable String passwordFile,
    int connections,
    Map<String, String> properties)
    implements SerializableFunction<Void, DataSource> {

  /**
   * How many connections a process has at most, unless told otherwise. It needs one for each worker
   * thread, and opens no more.
   */
  public static final int DEFAULT_CONNECTIONS = 64;

  private static final Pattern SECRET = Pattern.compile("(?i)(pass\\w*|pwd)\\s*=|//[^/@]*:[^/@]*@");
  private static final ConcurrentMap<JdbcDatabase, DataSource> POOLS = new ConcurrentHashMap<>();

  /** Checks that no secret is given. */
  public JdbcDatabase {
    if (SECRET.matcher(url).find()) {
      throw new IllegalArgumentException(
          "JDBC URL must hold no password, but was: one with a password (not shown). Put it into a"
              + " file, and name that.");
    }
    properties.forEach(
        (name, value) -> {
          if (SECRET.matcher(name + "=").find()) {
            throw new IllegalArgumentException(
                "Property \""
                    + name
                    + "\" of a driver must not be a password, but was: one (not shown). Put it"
                    + " into a file, and name that.");
          }
        });
    if (connections < 1) {
      throw JdbcWriteErrors.notPositive("Connections", connections);
    }
    properties = Map.copyOf(properties);
  }

  /** Returns the database at a URL. */
  public static JdbcDatabase at(String url) {
    return new JdbcDatabase(url, null, null, DEFAULT_CONNECTIONS, Map.of());
  }

  /** Sets as whom it is asked. */
  public JdbcDatabase as(String name) {
    return new JdbcDatabase(url, name, passwordFile, connections, properties);
  }

  /** Sets the file that holds the password, which all workers must have at this path. */
  public JdbcDatabase withPasswordFile(Path file) {
    return new JdbcDatabase(url, user, file.toAbsolutePath().toString(), connections, properties);
  }

  /** Sets how many connections a process has at most. */
  public JdbcDatabase withConnections(int most) {
    return new JdbcDatabase(url, user, passwordFile, most, properties);
  }

  /** Sets a setting of the driver, such as one of TLS or a timeout. */
  public JdbcDatabase withProperty(String name, String value) {
    Map<String, String> more = new TreeMap<>(properties);
    more.put(name, value);
    return new JdbcDatabase(url, user, passwordFile, connections, more);
  }

  /** Returns what gives connections in this process. */
  @Override
  public DataSource apply(@Nullable Void nothing) {
    return POOLS.computeIfAbsent(this, JdbcDatabase::pool);
  }

  private DataSource pool() {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setPoolName("idem");
    config.setMaximumPoolSize(connections);
    config.setMinimumIdle(0);
    // Says at once why there is no first connection, such as a wrong password.
    config.setInitializationFailTimeout(1);
    if (user != null) {
      config.setUsername(user);
    }
    if (passwordFile != null) {
      config.setPassword(password());
    }
    properties.forEach(config::addDataSourceProperty);
    return new HikariDataSource(config);
  }

  private String password() {
    try {
      return Files.readString(Path.of(passwordFile)).stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read password file " + passwordFile + ".", e);
    }
  }
}
