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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.checkpoint.Plan;
import dev.idem.pipelines.source.Source;
import dev.idem.transforms.fingerprint.RowEncoding;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectOutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.runners.TransformHierarchy;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.display.DisplayData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcSourceTest {

  private static final String URL = "jdbc:postgresql://localhost/none";
  private static final String PASSWORD = "n0t-f0r-pr1nt";
  private static final JdbcColumn ID =
      new JdbcColumn("id", JdbcColumn.Kind.WHOLE, FieldType.INT64, false);
  private static final JdbcTable TABLE =
      new JdbcTable("t", "\"t\"", "\"", Map.of("id", ID), Map.of("id", "int8"), List.of("id"));

  @TempDir private Path directory;

  private static Plan plan() {
    return new Plan(
        "load",
        0,
        "epoch",
        1,
        Instant.EPOCH,
        Map.of(),
        List.of(new Plan.Range("t", 0, 0, 1, -1)),
        Optional.empty(),
        List.of(),
        "",
        Map.of(
            Source.READ_BY + JdbcSource.COLUMN, "id",
            Source.READ_BY + JdbcSource.LOWER, "1",
            Source.READ_BY + JdbcSource.UPPER, "9",
            Source.READ_BY + JdbcSource.PARTITIONS, "2"),
        1,
        RowEncoding.VERSION);
  }

  /** Returns what a runner would ship of a pipeline. */
  private static List<String> shipped(Pipeline pipeline) {
    List<String> shipped = new ArrayList<>();
    pipeline.traverseTopologically(
        new Pipeline.PipelineVisitor.Defaults() {
          @Override
          public CompositeBehavior enterCompositeTransform(TransformHierarchy.Node node) {
            if (node.getTransform() != null) {
              add(node.getTransform());
            }
            return CompositeBehavior.ENTER_TRANSFORM;
          }

          @Override
          public void visitPrimitiveTransform(TransformHierarchy.Node node) {
            add(node.getTransform());
          }

          private void add(PTransform<?, ?> transform) {
            shipped.add(serialized(transform));
            shipped.add(DisplayData.from(transform).asMap().toString());
          }
        });
    return shipped;
  }

  private static String serialized(PTransform<?, ?> transform) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
      out.writeObject(transform);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toString(StandardCharsets.ISO_8859_1);
  }

  @Test
  void aPipelineHasThePasswordsFileAndNotThePassword() throws IOException {
    Path file = Files.writeString(directory.resolve("password"), PASSWORD);
    Schema columns = Schema.builder().addNullableField("id", FieldType.INT64).build();
    JdbcSource source =
        new JdbcSource(
            Database.of(URL, "reader", file),
            TABLE,
            new JdbcSource.Loaded(columns, false, List.of("id"), "postgresql"),
            new JdbcSource.Reading("id", 0, 10));
    Pipeline pipeline = Pipeline.create();

    source.read(pipeline, plan(), columns);

    List<String> shipped = shipped(pipeline);
    assertThat(shipped.stream().filter(form -> form.contains(PASSWORD)).count(), is(0L));
    assertThat(
        shipped.stream().filter(form -> form.contains(file.toString())).count(), greaterThan(0L));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://localhost/none?password=n0t-f0r-pr1nt",
        "jdbc:postgresql://localhost/none?user=a&sslpassword=n0t-f0r-pr1nt",
        "jdbc:mysql://reader:n0t-f0r-pr1nt@localhost/none",
        "jdbc:sqlserver://localhost;user=a;Password = n0t-f0r-pr1nt",
        "jdbc:sqlserver://localhost;user=a;pwd=n0t-f0r-pr1nt"
      })
  void aPasswordInTheUrlIsRefusedAndNotSaid(String url) {
    var refused =
        assertThrows(IllegalArgumentException.class, () -> Database.of(url, "reader", null));

    assertThat(refused.getMessage(), containsString("--passwordFile"));
    assertThat(refused.getMessage(), not(containsString(PASSWORD)));
  }

  @Test
  void aDriverThatIsNotThereIsNamedByItsUrl() {
    var refused =
        assertThrows(
            IllegalArgumentException.class, () -> Database.of("jdbc:none://a/b", null, null));

    assertThat(
        refused.getMessage(),
        is(
            "--jdbcUrl must be that of a driver on the class path, but was: \"jdbc:none://a/b\"."
                + " PostgreSQL's is there; name the jar of another one in IDEM_CLASSPATH."));
  }
}
