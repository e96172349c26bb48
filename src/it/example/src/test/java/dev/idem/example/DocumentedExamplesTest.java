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
package dev.idem.example;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.lessThan;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The README and the guide show the examples as they are compiled. */
class DocumentedExamplesTest {

  private static final Pattern BLOCK = Pattern.compile("(?s)```java\n(.*?)```\n");
  private static final int MAX_LINES = 80;

  private final Path root = Path.of("../../..");

  @Test
  void documentsShowWhatIsCompiled() throws IOException {
    List<String> shown = new ArrayList<>(blocks("README.md"));
    shown.addAll(blocks("src/site/markdown/examples.md"));

    List<String> compiled = new ArrayList<>();
    for (String source : sources()) {
      compiled.add(source.substring(source.indexOf("/** ", source.indexOf("\nimport "))));
    }
    assertThat(shown.stream().sorted().toList(), equalTo(compiled.stream().sorted().toList()));
  }

  @Test
  void examplesAreShort() throws IOException {
    for (String source : sources()) {
      String withoutHeader = source.substring(source.indexOf("package "));
      assertThat(withoutHeader, withoutHeader.lines().toList().size(), lessThan(MAX_LINES));
    }
  }

  private List<String> blocks(String document) throws IOException {
    return BLOCK
        .matcher(Files.readString(root.resolve(document)))
        .results()
        .map(found -> found.group(1))
        .toList();
  }

  private static List<String> sources() throws IOException {
    List<String> sources = new ArrayList<>();
    try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        if (!file.endsWith("package-info.java")) {
          sources.add(Files.readString(file));
        }
      }
    }
    assertThat(sources, hasSize(4));
    return sources;
  }
}
