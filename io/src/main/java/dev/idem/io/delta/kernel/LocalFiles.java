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
package dev.idem.io.delta.kernel;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.UUID;
import org.apache.beam.sdk.annotations.Internal;

/** Every durable operation on local files that a Delta table needs. */
@Internal
public final class LocalFiles {

  private LocalFiles() {}

  /** Creates a file that must not exist; nothing is forced. */
  public static OutputStream create(Path file) throws IOException {
    return Files.newOutputStream(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
  }

  /** Forces the content of {@code file} to the disk. */
  public static void forceFile(Path file) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** Forces the entries of {@code directory} to the disk. */
  public static void forceDirectory(Path directory) throws IOException {
    try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
      channel.force(true);
    }
  }

  /** Creates {@code directory} and what is missing above it, each forced into its parent. */
  public static void createDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = directory.toAbsolutePath().getParent();
    createDirectories(parent);
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
    forceDirectory(parent);
  }

  /** Gives an existing file a second name, which must not exist. */
  public static void link(Path existing, Path link) throws IOException {
    Files.createLink(link, existing);
  }

  /** Renames a file over another. */
  public static void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Removes a file; returns false if it is absent. */
  public static boolean delete(Path file) throws IOException {
    return Files.deleteIfExists(file);
  }

  /** Publishes a whole file unless the name exists; returns whether it did. */
  public static boolean putIfAbsent(Path target, byte[] bytes) throws IOException {
    Path temporary = target.resolveSibling("." + target.getFileName() + UUID.randomUUID() + ".tmp");
    try {
      try (OutputStream out = create(temporary)) {
        out.write(bytes);
      }
      forceFile(temporary);
      try {
        link(temporary, target);
        return true;
      } catch (FileAlreadyExistsException e) {
        return false;
      } finally {
        forceDirectory(target.toAbsolutePath().getParent());
      }
    } finally {
      delete(temporary);
    }
  }

  /** Replaces a file, existing or not, by a whole new one. */
  public static void replace(Path target, byte[] bytes) throws IOException {
    Path temporary = target.resolveSibling("." + target.getFileName() + UUID.randomUUID() + ".tmp");
    try {
      try (OutputStream out = create(temporary)) {
        out.write(bytes);
      }
      forceFile(temporary);
      rename(temporary, target);
      forceDirectory(target.toAbsolutePath().getParent());
    } finally {
      delete(temporary);
    }
  }
}
