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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.commons.dbcp2.BasicDataSource;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Where a database is, and as whom it is read. The password is in a file, which every process reads
 * for itself when it connects: it is in no pipeline, plan or log.
 *
 * @param url the JDBC URL, without a password
 * @param user who reads, null if the URL says it
 * @param passwordFile a file that holds the password, null if none is needed
 * @param driver the driver's class, which workers load by their own class path
 */
record Database(String url, @Nullable String user, @Nullable String passwordFile, String driver)
    implements SerializableFunction<Void, DataSource> {

  /** What may hold a password: a parameter of such a name, or user and password before the host. */
  private static final Pattern SECRET = Pattern.compile("(?i)(pass\\w*|pwd)\\s*=|//[^/@]*:[^/@]*@");

  /**
   * Returns a database whose driver is on the class path.
   *
   * @throws IllegalArgumentException if it is not, or if the URL holds a password
   */
  static Database of(String url, @Nullable String user, @Nullable Path passwordFile) {
    if (SECRET.matcher(url).find()) {
      throw JdbcErrors.passwordInUrl();
    }
    try {
      return new Database(
          url,
          user,
          passwordFile == null ? null : passwordFile.toAbsolutePath().toString(),
          DriverManager.getDriver(url).getClass().getName());
    } catch (SQLException e) {
      throw JdbcErrors.noDriver(url);
    }
  }

  /** Connects, to read only. */
  Connection connect() {
    Properties properties = new Properties();
    if (user != null) {
      properties.put("user", user);
    }
    if (passwordFile != null) {
      properties.put("password", password());
    }
    try {
      Connection connection = DriverManager.getConnection(url, properties);
      connection.setReadOnly(true);
      return connection;
    } catch (SQLException e) {
      throw JdbcErrors.notConnected(url, user, e);
    }
  }

  private String password() {
    try {
      return Files.readString(Path.of(passwordFile)).stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException("Cannot read password file " + passwordFile + ".", e);
    }
  }

  /** Connections of a worker are closed when its bundle ends; none is kept. */
  @Override
  public DataSource apply(Void nothing) {
    BasicDataSource source = new BasicDataSource();
    source.setDriverClassName(driver);
    source.setUrl(url);
    source.setUsername(user);
    if (passwordFile != null) {
      source.setPassword(password());
    }
    source.setDefaultReadOnly(true);
    source.setMaxIdle(0);
    return source;
  }
}
