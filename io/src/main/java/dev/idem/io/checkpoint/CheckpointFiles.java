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
import dev.idem.io.file.Storage;
import dev.idem.io.file.StoredFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The files of one checkpoint, and the locks on them where there are such. */
final class CheckpointFiles {

  private final Storage storage;
  private final Optional<Path> locks;

  CheckpointFiles(Storage storage) {
    this(storage, storage.local(""));
  }

  /**
   * @param locks the local directory under which files are locked; empty if processes share none
   */
  CheckpointFiles(Storage storage, Optional<Path> locks) {
    this.storage = storage;
    this.locks = locks;
  }

  /** Returns the place of a name, for messages. */
  String path(String name) {
    return storage.path(name);
  }

  /** Creates a directory, and makes it and what it lists survive a power loss. */
  void createDirectory(String name) throws IOException {
    storage.createDirectories(name);
    /*
     * A process that died between a link and the force of its directory left a name that a power
     * loss may still take back; whoever acts on that name has to make it durable first.
     */
    storage.forceDirectory(name);
    Optional<Path> parent = storage.local(name).map(Path::getParent).filter(Files::isReadable);
    if (parent.isPresent()) {
      DurableFiles.forceDirectory(parent.get());
    }
  }

  /** Publishes an entry, whole and durable; returns false if the name is taken. */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException {
    return storage.putIfAbsent(name, bytes);
  }

  /** Replaces an entry by a whole and durable one. */
  void replace(String name, byte[] bytes) throws IOException {
    storage.replace(name, bytes);
  }

  /** Keeps a copy of an entry, unless an earlier attempt did: the oldest is worth keeping. */
  void keepAs(String name, String copy) throws IOException {
    boolean unused = storage.putIfAbsent(copy, storage.read(name));
  }

  /** Writes a few bytes over the start of a file; neither whole nor durable after a crash. */
  void overwrite(String name, byte[] bytes) throws IOException {
    storage.overwrite(name, bytes);
  }

  /** Reads an entry, empty if it is absent. */
  Optional<byte[]> read(String name) throws IOException {
    try {
      return Optional.of(storage.read(name));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Returns the names in a directory, sorted, without those of interrupted publications. */
  List<String> list(String directory) throws IOException {
    return storage.names(directory).stream().filter(name -> !Storage.isTemporary(name)).toList();
  }

  /** Returns the bytes in the files of a directory, 0 if it is absent. */
  long size(String directory) throws IOException {
    return storage.list(directory, "").stream().mapToLong(StoredFile::size).sum();
  }

  /** Moves a file or a directory, if it exists, to a name that does not. */
  void move(String name, String to) throws IOException {
    storage.move(name, to);
  }

  /** Removes an entry; returns false if it is absent. */
  boolean delete(String name) throws IOException {
    return storage.delete(name);
  }

  /** Removes what interrupted publications left in a directory. */
  void clean(String directory) throws IOException {
    for (String name : storage.names(directory)) {
      if (Storage.isTemporary(name)) {
        storage.delete(directory + "/" + name);
      }
    }
  }

  /** Makes the names in a directory survive a power loss. */
  void forceDirectory(String directory) throws IOException {
    storage.forceDirectory(directory);
  }

  /** Returns whether a lock on this host tells if its holder lives. */
  boolean haveLocks() {
    return locks.isPresent();
  }

  /** Takes the lock of a name if no live process of this host has it. */
  Optional<ProcessLock> tryLock(String name) throws IOException {
    return locks.isEmpty()
        ? Optional.of(ProcessLock.none())
        : ProcessLock.tryLock(locks.get().resolve(name));
  }

  /** Waits for the lock of a name; at most one thread of a JVM may wait for it. */
  ProcessLock lock(String name) throws IOException {
    return locks.isEmpty() ? ProcessLock.none() : ProcessLock.lock(locks.get().resolve(name));
  }
}
