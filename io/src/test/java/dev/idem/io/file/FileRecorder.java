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
package dev.idem.io.file;

import dev.idem.io.file.FileOperation.Kind;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/*
 * Records every operation under one directory, lets the machine die before or after any of them, and
 * then shows what the disk kept.
 *
 * The model of the disk: the bytes of a file survive as they were at its last force, none if it was
 * never forced; the names in a directory survive as they were at its last force. Files and
 * directories have identities of their own, so that a forced name may point to an unforced file and
 * the other way round. A rename between two directories is one step of the file system's journal:
 * forcing either of them keeps both sides of it. Whatever was there at the beginning counts as forced. Bytes written by
 * libraries that do not report are seen at the force of their file.
 */
/** Records file operations and simulates the loss of all that was not forced. */
public final class FileRecorder implements FileObserver, AutoCloseable {

  private record Entry(String id, boolean directory) {}

  private record Renaming(String from, String oldName, String to, String newName, Entry entry) {}

  private final Path root;
  private final DurableFiles.Observation observation;
  private final List<FileOperation> operations = new ArrayList<>();
  private final Map<Object, String> ids = new HashMap<>();
  private final Map<String, byte[]> durableBytes = new HashMap<>();
  private final Map<String, Map<String, Entry>> durableNames = new HashMap<>();
  private final List<Renaming> renamings = new ArrayList<>();
  private final String rootId;
  private int crashBefore = Integer.MAX_VALUE;
  private int crashAfter = Integer.MAX_VALUE;
  private String crashAtLine = "";
  private boolean dead;

  private FileRecorder(Path root) throws IOException {
    this.root = root.toAbsolutePath().normalize();
    rootId = id(this.root);
    try (Stream<Path> all = Files.walk(this.root)) {
      for (Path path : all.toList()) {
        if (Files.isDirectory(path)) {
          keepNames(path);
        } else {
          keepBytes(path);
        }
      }
    }
    observation = DurableFiles.observe(this.root, this);
  }

  /** Records from now on all that happens under {@code root}, which must exist. */
  public static FileRecorder under(Path root) throws IOException {
    return new FileRecorder(root);
  }

  /** Lets the machine die just before the operation with this index. */
  public synchronized FileRecorder crashBefore(int index) {
    crashBefore = index;
    return this;
  }

  /** Lets the machine die just after the operation with this index. */
  public synchronized FileRecorder crashAfter(int index) {
    crashAfter = index;
    return this;
  }

  /** Lets the machine die just after the first operation that {@link #lines()} shows so. */
  public synchronized FileRecorder crashAtLine(String line) {
    crashAtLine = line;
    return this;
  }

  /** Lets operations go on after a crash that killed the process and not the machine. */
  public synchronized void restartProcess() {
    crashBefore = Integer.MAX_VALUE;
    crashAfter = Integer.MAX_VALUE;
    crashAtLine = "";
    dead = false;
  }

  /** Returns what was done, in order. */
  public synchronized List<FileOperation> operations() {
    return List.copyOf(operations);
  }

  /** Returns what was done, as {@code KIND relative/path}, temporary names shortened to "tmp". */
  public synchronized List<String> lines() {
    return operations.stream().map(this::line).toList();
  }

  private String line(FileOperation operation) {
    return operation.kind()
        + " "
        + relative(operation.path())
        + operation.other().map(other -> " " + relative(other)).orElse("");
  }

  private String relative(Path path) {
    String name = path.getFileName().toString();
    Path shown = DurableFiles.isTemporary(name) ? path.resolveSibling("tmp") : path;
    return root.relativize(shown).toString();
  }

  @Override
  public synchronized void before(FileOperation operation) throws IOException {
    if (dead || operations.size() == crashBefore) {
      dead = true;
      throw new SimulatedCrash("before " + operation);
    }
    if (operation.kind() == Kind.DELETE && Files.isRegularFile(operation.path())) {
      /* The file system may give the number of a file without names to the next one. */
      Object links = Files.getAttribute(operation.path(), "unix:nlink");
      if (links.equals(1)) {
        ids.remove(key(operation.path()));
      }
    }
    if (operation.kind() == Kind.RENAME) {
      Path replaced = operation.other().orElseThrow();
      if (Files.isRegularFile(replaced) && Files.getAttribute(replaced, "unix:nlink").equals(1)) {
        ids.remove(key(replaced));
      }
    }
  }

  @Override
  public synchronized void after(FileOperation operation) throws IOException {
    switch (operation.kind()) {
      case FORCE_FILE -> keepBytes(operation.path());
      case FORCE_DIRECTORY -> {
        keepNames(operation.path());
        keepRenamings(id(operation.path()));
      }
      case RENAME -> {
        Path to = operation.other().orElseThrow();
        renamings.add(
            new Renaming(
                id(operation.path().getParent()),
                operation.path().getFileName().toString(),
                id(to.getParent()),
                to.getFileName().toString(),
                new Entry(id(to), Files.isDirectory(to))));
      }
      default -> id(existing(operation));
    }
    operations.add(operation);
    if (operations.size() - 1 == crashAfter || line(operation).equals(crashAtLine)) {
      dead = true;
      throw new SimulatedCrash("after " + operation);
    }
  }

  private Path existing(FileOperation operation) {
    Path path = operation.path();
    return Files.exists(path, LinkOption.NOFOLLOW_LINKS) ? path : root;
  }

  /** Turns the machine off and on: the directory is as a power loss leaves it. Ends the record. */
  public synchronized void losePower() throws IOException {
    close();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!path.equals(root)) {
          Files.delete(path);
        }
      }
    }
    restore(root, rootId, new HashMap<>());
  }

  private void restore(Path directory, String id, Map<String, Path> restored) throws IOException {
    Files.createDirectories(directory);
    Map<String, Entry> names = durableNames.getOrDefault(id, Map.of());
    for (Map.Entry<String, Entry> name : names.entrySet()) {
      Path path = directory.resolve(name.getKey());
      Entry entry = name.getValue();
      if (entry.directory()) {
        restore(path, entry.id(), restored);
      } else if (restored.containsKey(entry.id())) {
        Files.createLink(path, restored.get(entry.id()));
      } else {
        Files.write(path, durableBytes.getOrDefault(entry.id(), new byte[0]));
        restored.put(entry.id(), path);
      }
    }
  }

  private void keepBytes(Path file) throws IOException {
    durableBytes.put(id(file), Files.readAllBytes(file));
  }

  private void keepNames(Path directory) throws IOException {
    Map<String, Entry> names = new TreeMap<>();
    try (Stream<Path> entries = Files.list(directory)) {
      for (Path entry : entries.toList()) {
        names.put(entry.getFileName().toString(), new Entry(id(entry), Files.isDirectory(entry)));
      }
    }
    durableNames.put(id(directory), names);
  }

  private void keepRenamings(String directory) {
    for (Renaming renaming : List.copyOf(renamings)) {
      if (renaming.from().equals(directory) || renaming.to().equals(directory)) {
        durableNames
            .computeIfAbsent(renaming.from(), unused -> new TreeMap<>())
            .remove(renaming.oldName(), renaming.entry());
        durableNames
            .computeIfAbsent(renaming.to(), unused -> new TreeMap<>())
            .put(renaming.newName(), renaming.entry());
        renamings.remove(renaming);
      }
    }
  }

  private String id(Path path) {
    return ids.computeIfAbsent(key(path), unused -> UUID.randomUUID().toString());
  }

  private static Object key(Path path) {
    try {
      return Files.getAttribute(path, "unix:ino");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends the record. */
  @Override
  public void close() {
    observation.close();
  }
}
