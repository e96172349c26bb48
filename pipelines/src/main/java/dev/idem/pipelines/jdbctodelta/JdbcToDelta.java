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

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.idem.io.debezium.DebeziumDecoder;
import dev.idem.io.delta.schema.DeltaSchemas;
import dev.idem.pipelines.job.Job;
import dev.idem.pipelines.job.JobOptions;
import dev.idem.pipelines.merge.MergeOptions;
import dev.idem.pipelines.targets.DeltaTarget;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.beam.sdk.schemas.Schema;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Unmatched;

/**
 * Loads a table of a database into a Delta Lake table that change events are merged into, so that
 * load and stream meet without a gap or a double, in whatever order they run, also at once.
 */
@Command(
    name = "jdbc-to-delta",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = {
      "Loads a table of a database into a Delta Lake table, beside cdc-to-delta.",
      "Let changes be captured first, without a snapshot: what is changed from then on wins over"
          + " what is loaded."
    },
    footer = "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2].")
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class JdbcToDelta implements Callable<Integer> {

  private static final Set<String> CONNECTORS =
      Set.of("postgresql", "mysql", "mariadb", "sqlserver");

  @Option(
      names = "--jdbcUrl",
      required = true,
      paramLabel = "URL",
      description = "The database, such as jdbc:postgresql://HOST/DATABASE; without a password.")
  private String jdbcUrl;

  @Option(names = "--user", paramLabel = "NAME", description = "Who reads.")
  private @Nullable String user;

  @Option(
      names = "--passwordFile",
      paramLabel = "FILE",
      description = "A file that holds the password; workers read it, too.")
  private @Nullable Path passwordFile;

  @Option(
      names = "--sourceTable",
      paramLabel = "[SCHEMA.]TABLE",
      description = "The table, as the database spells it.")
  private @Nullable String sourceTable;

  @Option(names = "--query", paramLabel = "SQL", description = "A query instead of a table.")
  private @Nullable String query;

  @Option(
      names = "--before",
      paramLabel = "postgresql|mysql|mariadb|sqlserver",
      description = {
        "Rows are before every change that this connector of Debezium streams.",
        "Without it, --sequenceBy orders rows and changes."
      })
  private @Nullable String before;

  @Option(
      names = "--schema",
      paramLabel = "FILE|inferred",
      defaultValue = "inferred",
      description = "The columns as Delta schema JSON, or all that the table has.")
  private String schema;

  @Option(
      names = "--partitionColumn",
      paramLabel = "COLUMN",
      description = "A number or timestamp that divides the table; default the single key.")
  private @Nullable String partitionColumn;

  @Option(
      names = "--partitions",
      paramLabel = "N",
      description = "By how many queries the table is read; default by its size.")
  private @Nullable Integer partitions;

  @Option(
      names = "--fetchSize",
      paramLabel = "ROWS",
      defaultValue = "10000",
      description = "How many rows of a query are in memory.")
  private int fetchSize;

  @Mixin private MergeOptions merge;

  @Mixin private JobOptions jobOptions;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Override
  public Integer call() throws IOException {
    refuseWrong();
    Database database = Database.of(jdbcUrl, user, passwordFile);
    JdbcTable table = look(database);
    JdbcSource.Loaded loaded = loaded(table);
    JdbcSource source =
        new JdbcSource(
            database,
            table,
            loaded,
            new JdbcSource.Reading(
                partitionColumn(table), partitions == null ? 0 : partitions, fetchSize));
    return run(
        Job.byDefaultNamed("jdbc-to-delta", source.names()).from(source).into(target(loaded)));
  }

  /** For each connection, Beam 2.70 prints a line to the standard output, which is the job's. */
  private int run(Job job) {
    PrintStream out = System.out;
    System.setOut(new PrintStream(OutputStream.nullOutputStream(), false, UTF_8));
    try {
      return job.run(jobOptions, beamOptions, out, System.err);
    } finally {
      System.setOut(out);
    }
  }

  private void refuseWrong() {
    if ((sourceTable == null) == (query == null)) {
      throw JdbcErrors.oneOf("--sourceTable", "--query");
    }
    if ((before == null) == merge.changes().sequenceBy().isEmpty()) {
      throw JdbcErrors.oneOf("--before", "--sequenceBy");
    }
    if (before != null && !CONNECTORS.contains(before)) {
      throw JdbcErrors.unknownConnector(before);
    }
    if (merge.changes().keepsHistory()) {
      throw JdbcErrors.history();
    }
    requirePositive("--fetchSize", fetchSize);
    if (partitions != null) {
      requirePositive("--partitions", partitions);
    }
  }

  private static void requirePositive(String option, int value) {
    if (value < 1) {
      throw JdbcErrors.notPositive(option, value);
    }
  }

  private JdbcTable look(Database database) {
    try (Connection connection = database.connect()) {
      return sourceTable == null
          ? JdbcTable.ofQuery(connection, query)
          : JdbcTable.named(connection, sourceTable);
    } catch (SQLException e) {
      throw JdbcErrors.notRead("its connection back", e);
    }
  }

  private JdbcSource.Loaded loaded(JdbcTable table) throws IOException {
    boolean declared = !schema.equals("inferred");
    Schema columns =
        declared ? DeltaSchemas.parse(Files.readString(Path.of(schema))) : table.schema();
    table.columns(columns);
    List<String> keys =
        merge.changes().keys().isEmpty() ? table.primaryKey() : merge.changes().keys();
    if (keys.isEmpty()) {
      throw JdbcErrors.noKeys(table.name());
    }
    return new JdbcSource.Loaded(columns, declared, keys, before == null ? "" : before);
  }

  private @Nullable String partitionColumn(JdbcTable table) {
    if (partitionColumn != null) {
      if (!PartitionBounds.canDivide(table.column("--partitionColumn", partitionColumn))) {
        throw JdbcErrors.notAPartition(partitionColumn, table.types().get(partitionColumn));
      }
      return partitionColumn;
    }
    List<String> key = table.primaryKey();
    if (key.size() == 1 && PartitionBounds.isNumber(table.columns().get(key.get(0)))) {
      return key.get(0);
    }
    if (partitions != null && partitions > 1) {
      throw JdbcErrors.noPartitionColumn(partitions);
    }
    return null;
  }

  private DeltaTarget target(JdbcSource.Loaded loaded) {
    DebeziumDecoder decoder = loaded.decoder(loaded.columns());
    return merge.target(
        decoder == null
            ? merge.changes().changes()
            : merge.changes().changes(decoder.changes(), decoder.ownColumns()));
  }
}
