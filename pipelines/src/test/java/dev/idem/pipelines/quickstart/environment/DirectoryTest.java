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
package dev.idem.pipelines.quickstart.environment;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryTest {

  @TempDir Path root;

  @Test
  void directoryThatHoldsSomethingIsRefusedAndLeftAlone() throws IOException {
    Path used = Files.createDirectory(root.resolve("used"));
    Files.writeString(used.resolve("mine"), "mine");

    var e = assertThrows(IllegalArgumentException.class, () -> Directory.make(used));

    assertThat(
        e.getMessage(),
        is(
            "--dir must be absent or an empty directory, but was: \""
                + used
                + "\". Name another one, or leave it out for a new one."));
    try (Stream<Path> entries = Files.list(used)) {
      assertThat(entries.toList(), is(List.of(used.resolve("mine"))));
    }
  }

  @Test
  void fileIsNoDirectory() throws IOException {
    Path file = Files.writeString(root.resolve("file"), "");

    assertThrows(IllegalArgumentException.class, () -> Directory.make(file));
  }

  @Test
  void temporaryFilesAreRemovedAndNothingElse() throws IOException {
    Directory directory = Directory.make(root.resolve("new"));
    Files.createDirectories(directory.temporary().resolve("a/b"));
    Files.writeString(directory.temporary().resolve("a/b/c"), "");
    Files.writeString(directory.log("job"), "");

    directory.removeTemporary();

    assertThat(Files.exists(directory.temporary()), is(false));
    assertThat(Files.exists(directory.log("job")), is(true));
  }
}
