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

import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.io.file.FileOperation.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/*
 * The model: the bytes of a file survive as they were at its last force, none if it was never
 * forced; the names in a directory survive as they were at the directory's last force. Files have
 * identities of their own, so a forced name may lead to bytes that were not forced, and the other
 * way round. What was there at the beginning counts as forced.
 */
/** Records what happens under a directory, and what a power loss would have left at each step. */
final class RecordedDisk implements FileObserver, AutoCloseable {

  private record Entry(String id, boolean directory) {}

  private record State(Map<String, byte[]> bytes, Map<String, Map<String, Entry>> names) {}

  private final Path root;
  private final DurableFiles.Observation observation;
  private final List<FileOperation> operations = new ArrayList<>();
  private final List<State> states = new ArrayList<>();
  private final Map<Object, String> ids = new HashMap<>();
  private final Map<String, byte[]> bytes = new HashMap<>();
  private final Map<String, Map<String, Entry>> names = new HashMap<>();

  private RecordedDisk(Path root) throws IOException {
    this.root = root.toRealPath();
    try (Stream<Path> all = Files.walk(this.root)) {
      for (Path path : all.toList()) {
        if (Files.isDirectory(path)) {
          keepNames(path);
        } else {
          keepBytes(path);
        }
      }
    }
    states.add(new State(Map.copyOf(bytes), Map.copyOf(names)));
    observation = DurableFiles.observe(this.root, this);
  }

  static RecordedDisk under(Path root) throws IOException {
    return new RecordedDisk(root);
  }

  @Override
  public synchronized void before(FileOperation operation) throws IOException {
    Path replaced =
        switch (operation.kind()) {
          case DELETE -> operation.path();
          case RENAME -> operation.other().orElseThrow();
          default -> root;
        };
    // The file system gives the number of a file without names to the next one.
    if (Files.isRegularFile(replaced) && Files.getAttribute(replaced, "unix:nlink").equals(1)) {
      ids.remove(number(replaced));
    }
  }

  @Override
  public synchronized void after(FileOperation operation) throws IOException {
    operations.add(operation);
    switch (operation.kind()) {
      case FORCE_FILE -> keepBytes(operation.path());
      case FORCE_DIRECTORY -> keepNames(operation.path());
      default -> {
        return;
      }
    }
    states.add(new State(Map.copyOf(bytes), Map.copyOf(names)));
  }

  private void keepBytes(Path file) throws IOException {
    bytes.put(id(file), Files.readAllBytes(file));
  }

  private void keepNames(Path directory) throws IOException {
    Map<String, Entry> found = new TreeMap<>();
    for (Path entry : Listing.of(directory)) {
      if (Files.exists(entry, LinkOption.NOFOLLOW_LINKS)) {
        found.put(entry.getFileName().toString(), new Entry(id(entry), Files.isDirectory(entry)));
      }
    }
    names.put(id(directory), found);
  }

  private String id(Path path) throws IOException {
    return ids.computeIfAbsent(number(path), unused -> UUID.randomUUID().toString());
  }

  private static Object number(Path path) throws IOException {
    return Files.getAttribute(path, "unix:ino");
  }

  /** Returns what was done, in order. */
  synchronized List<FileOperation> operations() {
    return List.copyOf(operations);
  }

  /** Returns how many states a power loss could have left. */
  synchronized int states() {
    return states.size();
  }

  /** Makes a directory of what a power loss would have left in a state. */
  synchronized void restore(int state, Path directory) throws IOException {
    restore(states.get(state), id(root), directory, new HashMap<>());
  }

  private static void restore(State state, String id, Path directory, Map<String, Path> restored)
      throws IOException {
    Files.createDirectories(directory);
    for (Map.Entry<String, Entry> name : state.names().getOrDefault(id, Map.of()).entrySet()) {
      Path path = directory.resolve(name.getKey());
      Entry entry = name.getValue();
      if (entry.directory()) {
        restore(state, entry.id(), path, restored);
      } else if (restored.containsKey(entry.id())) {
        Files.createLink(path, restored.get(entry.id()));
      } else {
        Files.write(path, state.bytes().getOrDefault(entry.id(), new byte[0]));
        restored.put(entry.id(), path);
      }
    }
  }

  /** Returns the index of the only operation of a kind on a path. */
  int indexOf(Kind kind, Path path) {
    int found = -1;
    for (int i = 0; i < operations.size(); i++) {
      FileOperation each = operations.get(i);
      if (each.kind() == kind && each.path().equals(path)) {
        found = i;
      }
    }
    if (found < 0) {
      throw new AssertionError(kind + " of " + path + " must have happened, but did not.");
    }
    return found;
  }

  /** Returns whether an operation of a kind on a path happened between two others. */
  boolean happened(Kind kind, Path path, int after, int before) {
    return operations.subList(after + 1, before).stream()
        .anyMatch(each -> each.kind() == kind && each.path().equals(path));
  }

  @Override
  public void close() {
    observation.close();
  }
}
