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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keeps the patches in step with the code, in every build; {@link UnguardedChaosIT} runs them. */
class UnguardedPatchesIT {

  @TempDir private Path directory;

  @Test
  void everyPatchFitsTheCodeAndNamesATestThatExists() throws Exception {
    List<UnguardedPatch> patches = UnguardedPatch.all(WorkTreeCopy.root());
    List<String> problems = new ArrayList<>();

    for (UnguardedPatch patch : patches) {
      Path copy = Files.createDirectories(directory.resolve(patch.name()).resolve("copy"));
      var result = WorkTreeCopy.into(copy).apply(patch.file());
      if (result.exit() != 0) {
        problems.add(patch.name() + " does not fit: " + result.output());
      }
      if (!hasTest(patch)) {
        problems.add(patch.name() + " names a test that does not exist: " + patch.test());
      }
    }

    assertThat(patches, is(not(empty())));
    assertThat(problems, is(empty()));
  }

  private static boolean hasTest(UnguardedPatch patch) throws IOException {
    Path root = WorkTreeCopy.root();
    Path sources =
        patch.isIntegrationTest()
            ? root.resolve("src/it/java")
            : root.resolve(patch.module()).resolve("src/test/java");
    try (Stream<Path> files = Files.walk(sources)) {
      for (Path file : files.filter(path -> path.endsWith(patch.type() + ".java")).toList()) {
        if (Files.readString(file).contains("void " + patch.method() + "(")) {
          return true;
        }
      }
    }
    return false;
  }
}
