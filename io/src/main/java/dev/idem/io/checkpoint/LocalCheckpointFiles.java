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
package dev.idem.io.checkpoint;

import dev.idem.io.file.DurableFiles;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** A checkpoint in a directory of a local disk. */
final class LocalCheckpointFiles implements CheckpointFiles {

  private final Path root;

  LocalCheckpointFiles(Path root) {
    this.root = root;
  }

  @Override
  public String path(String name) {
    return resolve(name).toString();
  }

  @Override
  public void createDirectory(String name) throws IOException {
    Path directory = resolve(name);
    DurableFiles.createDirectories(directory);
    /*
     * A process that died between a link and the force of its directory left a name that a power
     * loss may still take back; whoever acts on that name has to make it durable first.
     */
    DurableFiles.forceDirectory(directory);
    Path parent = directory.getParent();
    if (parent != null && Files.isReadable(parent)) {
      DurableFiles.forceDirectory(parent);
    }
  }

  @Override
  public boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    return DurableFiles.putIfAbsent(resolve(name), bytes);
  }

  @Override
  public void replace(String name, byte[] bytes) throws IOException {
    DurableFiles.replace(resolve(name), bytes);
  }

  @Override
  public void keepAs(String name, String copy) throws IOException {
    try {
      DurableFiles.link(resolve(name), resolve(copy));
    } catch (FileAlreadyExistsException e) {
      /* Kept by an earlier attempt; the oldest copy is the one worth keeping. */
    }
  }

  @Override
  public void overwrite(String name, byte[] bytes) throws IOException {
    DurableFiles.overwrite(resolve(name), bytes);
  }

  @Override
  public Optional<byte[]> read(String name) throws IOException {
    try {
      return Optional.of(DurableFiles.read(resolve(name)));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  @Override
  public List<String> list(String directory) throws IOException {
    return DurableFiles.list(resolve(directory)).stream()
        .filter(name -> !DurableFiles.isTemporary(name))
        .toList();
  }

  @Override
  public long size(String name) throws IOException {
    AtomicLong bytes = new AtomicLong();
    Files.walkFileTree(
        resolve(name),
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            bytes.addAndGet(attributes.size());
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failure)
              throws IOException {
            if (failure instanceof NoSuchFileException) {
              // Absent, or removed by a job at work since it was listed.
              return FileVisitResult.CONTINUE;
            }
            throw failure;
          }
        });
    return bytes.get();
  }

  @Override
  public void move(String name, String to) throws IOException {
    Path from = resolve(name);
    if (Files.exists(from)) {
      DurableFiles.rename(from, resolve(to));
    }
  }

  @Override
  public boolean delete(String name) throws IOException {
    return DurableFiles.delete(resolve(name));
  }

  @Override
  public void clean(String directory) throws IOException {
    for (String name : DurableFiles.list(resolve(directory))) {
      if (DurableFiles.isTemporary(name)) {
        DurableFiles.delete(resolve(directory).resolve(name));
      }
    }
  }

  @Override
  public void forceDirectory(String directory) throws IOException {
    DurableFiles.forceDirectory(resolve(directory));
  }

  @Override
  public Optional<ProcessLock> tryLock(String name) throws IOException {
    return ProcessLock.tryLock(resolve(name));
  }

  @Override
  public ProcessLock lock(String name) throws IOException {
    return ProcessLock.lock(resolve(name));
  }

  private Path resolve(String name) {
    return root.resolve(name);
  }
}
