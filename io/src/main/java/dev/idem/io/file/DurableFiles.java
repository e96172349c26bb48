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
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * The file operations behind every publication on a local disk: the only place that creates, forces
 * or links a file whose loss would break a guarantee.
 *
 * <p><b>Guarantee.</b> {@link #putIfAbsent} makes a file appear whole or not at all, under a name
 * that nobody else can have taken, and when it returns the file survives a power loss. Files that
 * libraries write by themselves become durable by {@link #forceFile} and {@link #forceDirectory}.
 *
 * <p><b>Requirements.</b> A POSIX file system on which a directory can be opened and forced and
 * which has hard links.
 *
 * <p><b>State and cost.</b> A publication takes three forced writes at most; nothing is kept.
 *
 * <p><b>Errors.</b> Every failure is an {@link IOException} of the operating system.
 *
 * <p>{@link #observe} is for tests: the operations of one directory tree are reported to an
 * observer, whatever object, thread or class loader of this library does them.
 */
public final class DurableFiles {

  /** Names of files that are not published yet start and end so; a crash may leave them behind. */
  private static final String TEMPORARY_PREFIX = ".";

  private static final String TEMPORARY_SUFFIX = ".tmp";

  /*
   * JVM-wide, because the objects that write files are made by reflection or deserialised on
   * workers, where no test can reach their constructor. Each observer sees its own directory only,
   * so tests that run at the same time do not meet.
   */
  private static final List<Registration> OBSERVERS = new CopyOnWriteArrayList<>();

  private DurableFiles() {}

  /**
   * Publishes a file: temporary file, write, force, hard link to its name, force the directory,
   * remove the temporary name.
   *
   * @return false if the name exists already; then nothing changed
   */
  public static boolean putIfAbsent(Path target, byte[] bytes) throws IOException {
    Path directory = parent(target);
    Path temporary = writeTemporary(target, bytes);
    boolean published;
    try {
      link(temporary, target);
      published = true;
    } catch (FileAlreadyExistsException e) {
      published = false;
    } catch (IOException e) {
      throw discard(temporary, e);
    }
    /* Also for the one who came second: what it found must not go away under it. */
    forceDirectory(directory);
    delete(temporary);
    return published;
  }

  /** Replaces a file, existing or not, by whole new contents that survive a power loss. */
  public static void replace(Path target, byte[] bytes) throws IOException {
    Path temporary = writeTemporary(target, bytes);
    try {
      rename(temporary, target);
    } catch (IOException e) {
      throw discard(temporary, e);
    }
    forceDirectory(parent(target));
  }

  /** Returns true for the names that an interrupted publication leaves behind. */
  public static boolean isTemporary(String name) {
    return name.startsWith(TEMPORARY_PREFIX) && name.endsWith(TEMPORARY_SUFFIX);
  }

  /** Returns a name, of no other file, for one that is to be published. */
  static String temporaryName(String name) {
    return TEMPORARY_PREFIX + name + "-" + UUID.randomUUID() + TEMPORARY_SUFFIX;
  }

  /** Creates a file that must not exist and returns the stream to write it; nothing is forced. */
  public static OutputStream create(Path file) throws IOException {
    FileChannel channel =
        observed(
            FileOperation.of(Kind.OPEN, file),
            () -> FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    return new ObservedStream(file, channel);
  }

  /** Writes {@code bytes} over the start of a file, which is created if absent, unforced. */
  public static void overwrite(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel =
        observed(
            FileOperation.of(Kind.OPEN, file),
            () -> FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE))) {
      observed(FileOperation.of(Kind.WRITE, file), () -> channel.write(ByteBuffer.wrap(bytes), 0));
    }
  }

  /** Makes the bytes of a file, whoever wrote them, survive a power loss. */
  public static void forceFile(Path file) throws IOException {
    observed(FileOperation.of(Kind.FORCE_FILE, file), () -> force(file, StandardOpenOption.WRITE));
  }

  /** Makes the names in a directory survive a power loss. */
  public static void forceDirectory(Path directory) throws IOException {
    observed(
        FileOperation.of(Kind.FORCE_DIRECTORY, directory),
        () -> force(directory, StandardOpenOption.READ));
  }

  /**
   * Gives an existing file a second name, in one step that cannot overwrite anything.
   *
   * @throws FileAlreadyExistsException if the name exists
   */
  public static void link(Path existing, Path link) throws IOException {
    observed(FileOperation.of(Kind.LINK, link, existing), () -> Files.createLink(link, existing));
  }

  /** Renames a file or a directory in one step; a file that has the new name is replaced. */
  public static void rename(Path from, Path to) throws IOException {
    observed(
        FileOperation.of(Kind.RENAME, from, to),
        () -> Files.move(from, to, StandardCopyOption.ATOMIC_MOVE));
  }

  /** Removes a file, or an empty directory; returns false if it is absent. */
  public static boolean delete(Path file) throws IOException {
    return observed(FileOperation.of(Kind.DELETE, file), () -> Files.deleteIfExists(file));
  }

  /** Creates a directory and those above it that are missing, each forced into its parent. */
  public static void createDirectories(Path directory) throws IOException {
    if (Files.isDirectory(directory)) {
      return;
    }
    Path parent = parent(directory);
    createDirectories(parent);
    try {
      observed(
          FileOperation.of(Kind.CREATE_DIRECTORY, directory),
          () -> Files.createDirectory(directory));
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(directory)) {
        throw e;
      }
    }
    forceDirectory(parent);
  }

  /**
   * Reads a whole file.
   *
   * @throws NoSuchFileException if it is absent
   */
  public static byte[] read(Path file) throws IOException {
    return observed(FileOperation.of(Kind.READ, file), () -> Files.readAllBytes(file));
  }

  /** Returns the names in a directory, sorted; none if it is absent. */
  public static List<String> list(Path directory) throws IOException {
    return observed(FileOperation.of(Kind.LIST, directory), () -> names(directory));
  }

  /**
   * Reports all operations on {@code root} and what lies under it to an observer, until the result
   * is closed; a test aid.
   */
  public static Observation observe(Path root, FileObserver observer) {
    Registration registration = new Registration(root.toAbsolutePath().normalize(), observer);
    OBSERVERS.add(registration);
    return () -> OBSERVERS.remove(registration);
  }

  /** An observer at work; closing it ends the reports. */
  public interface Observation extends AutoCloseable {
    @Override
    void close();
  }

  private static Path writeTemporary(Path target, byte[] bytes) throws IOException {
    Path temporary = parent(target).resolve(temporaryName(target.getFileName().toString()));
    try {
      try (OutputStream stream = create(temporary)) {
        stream.write(bytes);
      }
      forceFile(temporary);
    } catch (FileAlreadyExistsException e) {
      // Only the name to publish is taken by others.
      throw discard(temporary, new IOException("Temporary file must be new: " + temporary, e));
    } catch (IOException e) {
      throw discard(temporary, e);
    }
    return temporary;
  }

  /** Returns {@code failure} after removing the temporary file; a crash would leave it. */
  private static IOException discard(Path temporary, IOException failure) {
    try {
      delete(temporary);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }

  private static @Nullable Void force(Path path, StandardOpenOption option) throws IOException {
    try (FileChannel channel = FileChannel.open(path, option)) {
      channel.force(true);
    }
    return null;
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName().toString()).sorted().toList();
    } catch (NoSuchFileException e) {
      return List.of();
    }
  }

  private static Path parent(Path path) {
    Path parent = path.toAbsolutePath().getParent();
    if (parent == null) {
      throw new IllegalArgumentException(
          "Path must name a file in a directory, but was: \"" + path + "\".");
    }
    return parent;
  }

  private static <T> T observed(FileOperation operation, Step<T> step) throws IOException {
    if (OBSERVERS.isEmpty()) {
      return step.run();
    }
    List<FileObserver> observers =
        OBSERVERS.stream().filter(r -> r.sees(operation)).map(Registration::observer).toList();
    for (FileObserver observer : observers) {
      observer.before(operation);
    }
    T result = step.run();
    for (FileObserver observer : observers) {
      observer.after(operation);
    }
    return result;
  }

  @FunctionalInterface
  private interface Step<T> {
    T run() throws IOException;
  }

  private record Registration(Path root, FileObserver observer) {
    boolean sees(FileOperation operation) {
      return operation.path().startsWith(root)
          || operation.other().map(other -> other.startsWith(root)).orElse(false);
    }
  }

  /** Reports each write, so that tests see what a crash between two of them leaves. */
  private static final class ObservedStream extends OutputStream {
    private final Path file;
    private final FileChannel channel;

    ObservedStream(Path file, FileChannel channel) {
      this.file = file;
      this.channel = channel;
    }

    @Override
    public void write(int value) throws IOException {
      write(new byte[] {(byte) value}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
      observed(
          FileOperation.of(Kind.WRITE, file),
          () -> {
            while (buffer.hasRemaining()) {
              channel.write(buffer);
            }
            return length;
          });
    }

    @Override
    public void close() throws IOException {
      channel.close();
    }
  }
}
