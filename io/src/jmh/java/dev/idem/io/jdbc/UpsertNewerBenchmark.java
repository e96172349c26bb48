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

import dev.idem.testing.DatabaseServer;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.beam.runners.direct.DirectOptions;
import org.apache.beam.runners.direct.DirectRunner;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.io.GenerateSequence;
import org.apache.beam.sdk.io.jdbc.JdbcIO;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * How long a million rows of six columns take into PostgreSQL, two bundles or threads at once, into
 * an empty table and into one that holds all keys with an older version: by {@link
 * JdbcUpsertIO#upsertNewer}, by Beam's JdbcIO with an {@code ON CONFLICT} statement at its
 * defaults, and by {@code COPY} and a guarded merge written by hand, without any record.
 *
 * <p>{@code mvn verify -Pbench -pl io -am -DskipTests -Dbench.skip.transforms -Dbench=UpsertNewer}
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 1)
@Measurement(iterations = 3)
@Fork(1)
public class UpsertNewerBenchmark {

  private static final int ROWS = 1_000_000;
  private static final Schema SCHEMA =
      Schema.builder()
          .addInt64Field("id")
          .addInt64Field("version")
          .addStringField("customer")
          .addStringField("status")
          .addDecimalField("amount")
          .addField("at", FieldType.logicalType(new MicrosInstant()))
          .build();
  private static final String UPSERT =
      " ON CONFLICT (id) DO UPDATE SET version = excluded.version, customer = excluded.customer,"
          + " status = excluded.status, amount = excluded.amount, at = excluded.at"
          + " WHERE excluded.version > t.version";

  /** What the table holds before. */
  public enum Before {
    EMPTY,
    ALL_KEYS
  }

  @Param public Before before;

  private DatabaseServer server;
  private Path passwordFile;
  private long batch;
  private long version;

  @Setup(Level.Trial)
  public void start() throws IOException {
    server =
        DatabaseServer.startPostgres(
            Map.of(
                "synchronous_commit", "on",
                "fsync", "on",
                "shared_buffers", "512MB",
                "max_wal_size", "4GB",
                "checkpoint_timeout", "30min"));
    passwordFile = Files.writeString(Files.createTempFile("password", ""), server.password());
    for (String setting :
        List.of("synchronous_commit", "fsync", "shared_buffers", "max_wal_size", "wal_level")) {
      System.out.println(setting + " = " + server.query("SHOW " + setting).get(0).get(0));
    }
  }

  @TearDown(Level.Trial)
  public void stop() throws IOException {
    server.close();
    Files.delete(passwordFile);
  }

  @Setup(Level.Iteration)
  public void prepare() throws SQLException {
    server.execute(
        "DROP TABLE IF EXISTS t",
        "CREATE TABLE t (id BIGINT PRIMARY KEY, version BIGINT, customer TEXT, status TEXT,"
            + " amount NUMERIC(12, 2), at TIMESTAMPTZ)");
    version = 1;
    if (before == Before.ALL_KEYS) {
      server.execute(
          "INSERT INTO t SELECT id, 1, 'C' || id % 1000, 'open', id % 977, now()"
              + " FROM generate_series(0, "
              + (ROWS - 1)
              + ") AS id");
      version = 2;
    }
    server.execute("VACUUM ANALYZE t", "CHECKPOINT");
    batch++;
  }

  @TearDown(Level.Iteration)
  public void check() {
    long newest =
        (Long) server.query("SELECT count(*) FROM t WHERE version = " + version).get(0).get(0);
    if (newest != ROWS) {
      throw new IllegalStateException("All rows must be there, but were: " + newest);
    }
  }

  @Benchmark
  public void idem() {
    Pipeline pipeline = pipeline();
    rows(pipeline, version)
        .apply(
            JdbcUpsertIO.upsertNewer(List.of("id"), "version")
                .by("bench")
                .to("t")
                .withDatabase(
                    JdbcDatabase.at(server.jdbcUrl())
                        .as(server.user())
                        .withPasswordFile(passwordFile))
                .withBatch(batch));
    pipeline.run().waitUntilFinish();
  }

  @Benchmark
  public void jdbcIo() {
    Pipeline pipeline = pipeline();
    rows(pipeline, version)
        .apply(
            JdbcIO.<Row>write()
                .withDataSourceConfiguration(
                    JdbcIO.DataSourceConfiguration.create(server.driverClass(), server.jdbcUrl())
                        .withUsername(server.user())
                        .withPassword(server.password()))
                .withStatement("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)" + UPSERT)
                .withPreparedStatementSetter(
                    (row, statement) -> {
                      statement.setLong(1, row.getInt64("id"));
                      statement.setLong(2, row.getInt64("version"));
                      statement.setString(3, row.getString("customer"));
                      statement.setString(4, row.getString("status"));
                      statement.setBigDecimal(5, row.getDecimal("amount"));
                      statement.setTimestamp(
                          6, Timestamp.from(row.getLogicalTypeValue("at", Instant.class)));
                    }));
    pipeline.run().waitUntilFinish();
  }

  @Benchmark
  public void copyByHand() throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(2);
    List<Future<?>> halves = new ArrayList<>();
    for (int half = 0; half < 2; half++) {
      int from = half * ROWS / 2;
      Callable<Void> work =
          () -> {
            copy(from, from + ROWS / 2);
            return null;
          };
      halves.add(threads.submit(work));
    }
    for (Future<?> half : halves) {
      half.get();
    }
    threads.shutdown();
  }

  private void copy(int from, int to) throws SQLException {
    try (Connection connection = server.connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("CREATE TEMP TABLE s (LIKE t) ON COMMIT DROP");
      CopyIn copy = connection.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY s FROM STDIN");
      StringBuilder text = new StringBuilder();
      for (int id = from; id < to; id++) {
        text.append(id)
            .append('\t')
            .append(version)
            .append("\tC")
            .append(id % 1000)
            .append("\tpaid\t")
            .append(id % 977)
            .append(".50\t")
            .append(at(id))
            .append('\n');
        if (text.length() > 1 << 16) {
          byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
          copy.writeToCopy(bytes, 0, bytes.length);
          text.setLength(0);
        }
      }
      byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
      copy.writeToCopy(bytes, 0, bytes.length);
      copy.endCopy();
      statement.execute("INSERT INTO t SELECT * FROM s ORDER BY id" + UPSERT);
      connection.commit();
    }
  }

  private static Instant at(long id) {
    return Instant.ofEpochMilli(1_790_000_000_000L + id);
  }

  private static Pipeline pipeline() {
    DirectOptions options = PipelineOptionsFactory.as(DirectOptions.class);
    options.setRunner(DirectRunner.class);
    options.setTargetParallelism(2);
    options.setEnforceEncodability(false);
    options.setEnforceImmutability(false);
    return Pipeline.create(options);
  }

  private static PCollection<Row> rows(Pipeline pipeline, long version) {
    return pipeline
        .apply(GenerateSequence.from(0).to(ROWS))
        .apply("MakeRows", ParDo.of(new MakeRow(version)))
        .setRowSchema(SCHEMA);
  }

  private static final class MakeRow extends DoFn<Long, Row> {
    private final long version;

    MakeRow(long version) {
      this.version = version;
    }

    @ProcessElement
    public void make(@Element Long id, OutputReceiver<Row> output) {
      output.output(
          Row.withSchema(SCHEMA)
              .attachValues(
                  id,
                  version,
                  "C" + id % 1000,
                  "paid",
                  BigDecimal.valueOf(id % 977 * 100 + 50, 2),
                  at(id)));
    }
  }
}
