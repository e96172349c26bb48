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

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.stream.Stream;
import org.checkerframework.checker.nullness.qual.Nullable;

/** The one directory that a quickstart writes in. */
public record Directory(Path root) {

  /** Makes a directory: a new temporary one, or the given one, which must not hold anything. */
  public static Directory make(@Nullable Path given) throws IOException {
    Path root;
    if (given == null) {
      root = Files.createTempDirectory("idem-quickstart-");
    } else {
      root = given.toAbsolutePath().normalize();
      if (Files.exists(root) && !isEmptyDirectory(root)) {
        throw QuickstartErrors.directoryInUse(root);
      }
      Files.createDirectories(root);
    }
    Directory directory = new Directory(root);
    Files.createDirectory(directory.temporary());
    Files.createDirectory(root.resolve("logs"));
    Files.createDirectory(directory.broker());
    return directory;
  }

  private static boolean isEmptyDirectory(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      return false;
    }
    try (Stream<Path> entries = Files.list(path)) {
      return entries.findAny().isEmpty();
    }
  }

  /** Where the broker keeps its files. */
  public Path broker() {
    return root.resolve("kafka");
  }

  /** Where libraries unpack what they need while they run. */
  public Path temporary() {
    return root.resolve("tmp");
  }

  /** The output of a process. */
  public Path log(String name) {
    return root.resolve("logs").resolve(name + ".log");
  }

  /** Removes what libraries left; nothing runs any more. */
  public void removeTemporary() throws IOException {
    Files.walkFileTree(
        temporary(),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            Files.deleteIfExists(file);
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
              throws IOException {
            if (failure != null) {
              throw failure;
            }
            Files.delete(visited);
            return FileVisitResult.CONTINUE;
          }
        });
  }
}
