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

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.TestPlan;

/**
 * Records each test that names what it {@link Covers}, ran and passed, for the coverage page.
 *
 * <p>Active if the build sets the system properties {@code idem.coverage.dir} (where the records of
 * one module go), {@code idem.coverage.build} (the same for all modules of one build, and for no
 * other build) and {@code idem.coverage.suite}. One JSON object a line; a file of a suite without
 * such tests is written too, since it tells that the suite ran.
 */
public final class CoverageListener implements TestExecutionListener {

  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Pattern WORD =
      Pattern.compile("(?i)(?<![a-z])(direct|spark)(runner)?(?![a-z])");
  private static final Pattern CLASS_NAME = Pattern.compile("On(Direct|Spark)(?![a-z])");

  private final Optional<Path> file;

  private TestPlan plan;

  /** Made by the JUnit Platform. */
  public CoverageListener() {
    this(
        System.getProperty("idem.coverage.dir"),
        System.getProperty("idem.coverage.build"),
        System.getProperty("idem.coverage.suite"));
  }

  CoverageListener(String directory, String build, String suite) {
    this.file =
        directory == null
            ? Optional.empty()
            : Optional.of(Path.of(directory, fileName(build, suite)));
  }

  /** Returns the name of the records of one suite in one build; the reader uses it alike. */
  public static String fileName(String build, String suite) {
    return suite + "-" + build + ".jsonl";
  }

  @Override
  public void testPlanExecutionStarted(TestPlan started) {
    plan = started;
    file.ifPresent(
        path -> {
          try {
            Files.createDirectories(path.getParent());
            deleteOtherBuilds(path);
            append(path, "");
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  @Override
  public void executionFinished(TestIdentifier test, TestExecutionResult result) {
    if (file.isEmpty()
        || !test.isTest()
        || result.getStatus() != TestExecutionResult.Status.SUCCESSFUL
        || !(test.getSource().orElse(null) instanceof MethodSource source)) {
      return;
    }
    List<String> covered = covered(source.getJavaMethod());
    if (!covered.isEmpty()) {
      append(file.get(), line(test, source, covered) + "\n");
    }
  }

  /** Returns the rows and cases that a test names. */
  static List<String> covered(Method test) {
    List<String> covered = new ArrayList<>();
    Covers.Row rows = test.getAnnotation(Covers.Row.class);
    if (rows != null) {
      for (int row : rows.value()) {
        covered.add("row " + row);
      }
    }
    Covers.Case cases = test.getAnnotation(Covers.Case.class);
    if (cases != null) {
      covered.addAll(List.of(cases.value()));
    }
    return covered;
  }

  private String line(TestIdentifier test, MethodSource source, List<String> covered) {
    ObjectNode line = JSON.createObjectNode();
    line.put("test", source.getClassName() + "#" + source.getMethodName());
    line.put("displayName", test.getDisplayName());
    line.put("runner", runner(test));
    covered.forEach(line.putArray("covers")::add);
    return line.toString();
  }

  /** Returns the runner that the test, or what it is nested in, names; empty if none does. */
  private String runner(TestIdentifier test) {
    Optional<TestIdentifier> at = Optional.of(test);
    while (at.isPresent()) {
      TestIdentifier node = at.get();
      Optional<String> runner = find(WORD, node.getDisplayName(), 1);
      if (runner.isEmpty()) {
        runner = className(node.getSource()).flatMap(name -> find(CLASS_NAME, name, 1));
      }
      if (runner.isPresent()) {
        return runner.get().equalsIgnoreCase("direct") ? "DirectRunner" : "SparkRunner";
      }
      at = plan.getParent(node);
    }
    return "";
  }

  private static Optional<String> className(Optional<TestSource> source) {
    return source
        .filter(ClassSource.class::isInstance)
        .map(at -> ((ClassSource) at).getJavaClass().getSimpleName());
  }

  private static Optional<String> find(Pattern pattern, String text, int group) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find() ? Optional.of(matcher.group(group)) : Optional.empty();
  }

  private static void deleteOtherBuilds(Path own) throws IOException {
    String build = own.getFileName().toString().replaceFirst("^[a-z]+-", "");
    try (DirectoryStream<Path> files = Files.newDirectoryStream(own.getParent(), "*.jsonl")) {
      for (Path path : files) {
        if (!path.getFileName().toString().endsWith(build)) {
          // The suite's other process may be doing the same.
          Files.deleteIfExists(path);
        }
      }
    }
  }

  private static void append(Path path, String text) {
    try {
      Files.writeString(path, text, UTF_8, CREATE, APPEND);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
