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

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A copy of the files of this build that are under version control, as they are now. */
final class WorkTreeCopy {

  private final Path directory;

  private WorkTreeCopy(Path directory) {
    this.directory = directory;
  }

  static Path root() {
    return Path.of(System.getProperty("idem.root"));
  }

  static WorkTreeCopy into(Path directory) throws IOException, InterruptedException {
    Path list = Files.createTempFile("idem-files", ".txt");
    try {
      Result listed =
          run(root(), list, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard");
      if (listed.exit() != 0) {
        throw new IllegalStateException(
            "The build must run in a Git work tree, but was: " + listed.output());
      }
      for (String name : listed.output().split("\0", -1)) {
        Path from = root().resolve(name);
        // A file that was removed but not yet committed is still listed.
        if (!name.isEmpty() && Files.exists(from)) {
          Path to = directory.resolve(name);
          Files.createDirectories(to.getParent());
          Files.copy(from, to);
        }
      }
    } finally {
      Files.delete(list);
    }
    return new WorkTreeCopy(directory);
  }

  Path directory() {
    return directory;
  }

  /** Applies a patch; an outcome other than 0 means that it no longer fits. */
  Result apply(Path patch) throws IOException, InterruptedException {
    return run(
        directory,
        directory.resolveSibling("apply.log"),
        "git",
        "apply",
        "--whitespace=nowarn",
        patch.toAbsolutePath().toString());
  }

  /** Runs Maven offline in the copy. */
  Result maven(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(System.getProperty("idem.maven"));
    command.add("--offline");
    command.add("-Dmaven.repo.local=" + System.getProperty("idem.maven.repository"));
    command.addAll(arguments);
    return run(directory, directory.resolveSibling("maven.log"), command.toArray(String[]::new));
  }

  private static Result run(Path directory, Path log, String... command)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile());
    // Below another repository Git would take that one for the patch's, and skip every file of it.
    builder.environment().put("GIT_CEILING_DIRECTORIES", directory.getParent().toString());
    Process process = builder.start();
    process.getOutputStream().close();
    int exit = process.waitFor();
    return new Result(exit, Files.readString(log, UTF_8));
  }

  record Result(int exit, String output) {}
}
