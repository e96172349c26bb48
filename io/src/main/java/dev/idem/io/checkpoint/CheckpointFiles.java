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

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * All that a checkpoint asks of its storage. Names are relative to the checkpoint and separated by
 * slashes.
 */
interface CheckpointFiles {

  /** Returns the place of a name, for messages. */
  String path(String name);

  /** Creates a directory, and makes it and what it lists survive a power loss. */
  void createDirectory(String name) throws IOException;

  /** Publishes an entry, whole and durable; returns false if the name is taken. */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException;

  /** Replaces an entry by a whole and durable one. */
  void replace(String name, byte[] bytes) throws IOException;

  /** Gives an entry a second name, unless that is taken. */
  void keepAs(String name, String copy) throws IOException;

  /** Writes a few bytes over the start of a file; neither whole nor durable after a crash. */
  void overwrite(String name, byte[] bytes) throws IOException;

  /** Reads an entry, empty if it is absent. */
  Optional<byte[]> read(String name) throws IOException;

  /** Returns the names in a directory, sorted, without those of interrupted publications. */
  List<String> list(String directory) throws IOException;

  /** Returns the size of a file or directory in bytes, 0 if it is absent. */
  long size(String name) throws IOException;

  /** Moves a file or a directory, if it exists, to a name that does not. */
  void move(String name, String to) throws IOException;

  /** Removes an entry; returns false if it is absent. */
  boolean delete(String name) throws IOException;

  /** Removes what interrupted publications left in a directory. */
  void clean(String directory) throws IOException;

  /** Makes the names in a directory survive a power loss. */
  void forceDirectory(String directory) throws IOException;

  /** Takes the lock of a name if no live process of this host has it. */
  Optional<ProcessLock> tryLock(String name) throws IOException;

  /** Waits for the lock of a name; at most one thread of a JVM may wait for it. */
  ProcessLock lock(String name) throws IOException;
}
