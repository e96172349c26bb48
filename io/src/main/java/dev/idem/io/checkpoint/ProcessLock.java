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
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * An operating-system lock on a file: held for the life of the process at most, so that nobody has
 * to guess whether its holder lives.
 *
 * POSIX takes all of a process's locks on a file away as soon as the process closes any descriptor
 * of it. A second attempt inside this JVM must therefore not even open a file that is locked here:
 * closing it again would free the lock, and another process would believe the holder dead. Hence the
 * JVM-wide table, asked before the file is opened. Where a second class loader has a table of its
 * own, the JVM's OverlappingFileLockException tells; the channel that was opened stays open then.
 */
final class ProcessLock implements AutoCloseable {

  private static final Map<Path, FileChannel> HELD = new ConcurrentHashMap<>();
  private static final Map<FileChannel, Path> NEVER_CLOSED = new ConcurrentHashMap<>();

  private final @Nullable Path key;
  private final @Nullable FileChannel channel;

  private ProcessLock(@Nullable Path key, @Nullable FileChannel channel) {
    this.key = key;
    this.channel = channel;
  }

  /** Returns the lock of a file that nobody can lock; it keeps nobody off. */
  static ProcessLock none() {
    return new ProcessLock(null, null);
  }

  /** Returns the lock, or empty if a live process of this host, this one included, has it. */
  static Optional<ProcessLock> tryLock(Path file) throws IOException {
    return acquire(file, false);
  }

  /** Waits until no other process of this host has the lock; this one must not have it. */
  static ProcessLock lock(Path file) throws IOException {
    return acquire(file, true)
        .orElseThrow(
            () ->
                new IOException("Lock \"" + file + "\" must be free in this JVM, but was: held."));
  }

  private static Optional<ProcessLock> acquire(Path file, boolean wait) throws IOException {
    Path key = file.getParent().toRealPath().resolve(file.getFileName());
    synchronized (HELD) {
      if (HELD.containsKey(key)) {
        return Optional.empty();
      }
      FileChannel channel =
          FileChannel.open(key, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock;
      try {
        lock = wait ? channel.lock() : channel.tryLock();
      } catch (OverlappingFileLockException e) {
        NEVER_CLOSED.put(channel, key);
        return Optional.empty();
      } catch (IOException e) {
        channel.close();
        throw e;
      }
      if (lock == null) {
        channel.close();
        return Optional.empty();
      }
      HELD.put(key, channel);
      return Optional.of(new ProcessLock(key, channel));
    }
  }

  /** Frees the lock. */
  @Override
  public void close() throws IOException {
    if (key == null || channel == null) {
      return;
    }
    synchronized (HELD) {
      if (HELD.remove(key, channel)) {
        channel.close();
      }
    }
  }
}
