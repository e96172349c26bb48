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

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A place with files: all that tables and checkpoints ask of where they are kept.
 *
 * <p>Names are relative to the place and separated by slashes; the empty one is the place itself. A
 * name may also be absolute, as {@link #path} returns it.
 *
 * <p><b>Guarantee.</b> {@link #putIfAbsent} makes a file appear whole or not at all, under a name
 * that nobody else can have taken; when it returns the file survives a power loss. {@link #replace}
 * does the same for a name that may be taken. Of files that are written by {@link #create}, bytes
 * survive after {@link #forceFile} and names after {@link #forceDirectory}.
 *
 * <p>Where the answer to a publication can be lost, the same bytes under the name are taken for
 * one's own: who needs to know who was first publishes an id of its own in them.
 *
 * <p><b>Requirements.</b> A local disk with hard links, on which a directory can be forced; or a
 * Hadoop file system of a scheme that is known to publish a file only if its name is free: {@code
 * hdfs}, {@code viewfs}, {@code s3a}, {@code abfs}, {@code abfss}, {@code gs}. The last three are
 * not proven by tests.
 *
 * <p><b>Errors.</b> Every failure is an {@link IOException} of what lies below.
 */
public interface Storage {

  /**
   * Returns the place of a location, which need not exist.
   *
   * @param thing what the location is of, capitalised, for the error message
   * @param location a local path, or a URI of a scheme that is supported
   * @param hadoopConfiguration settings for the file system; secrets among them are given as {@code
   *     ${file:PATH}} or {@code ${env:NAME}}
   * @throws IllegalArgumentException if the location is none of these, for a literal secret, and if
   *     the file system is not on the class path
   */
  static Storage at(String thing, String location, Map<String, String> hadoopConfiguration) {
    HadoopSettings.refuseLiteralSecrets(hadoopConfiguration);
    Optional<Path> local = Location.local(thing, location);
    return local.isPresent()
        ? new LocalStorage(local.get())
        : HadoopStorage.of(Location.remote(thing, location), hadoopConfiguration);
  }

  /**
   * Returns a location in the one way in which it is written everywhere: {@link #path} of its
   * place.
   *
   * @param thing what the location is of, capitalised, for the error message
   * @throws IllegalArgumentException if there can be no place at the location
   */
  static String location(String thing, String location) {
    return Location.local(thing, location)
        .map(Path::toString)
        .orElseGet(() -> Location.remote(thing, location).toString());
  }

  /** Returns true for the names that an interrupted publication leaves behind. */
  static boolean isTemporary(String name) {
    return DurableFiles.isTemporary(name);
  }

  /** Returns the absolute name of a file. */
  String path(String name);

  /** Creates a directory and those above it that are missing. */
  void createDirectories(String name) throws IOException;

  /** Publishes a file; returns false if the name is taken, and then changes nothing. */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException;

  /** Publishes a file under a name that may be taken. */
  void replace(String name, byte[] bytes) throws IOException;

  /**
   * Writes a few bytes over the start of a file, which is created if absent; neither whole nor
   * durable after a crash.
   */
  void overwrite(String name, byte[] bytes) throws IOException;

  /** Creates a file that must not exist and returns the stream to write it. */
  OutputStream create(String name) throws IOException;

  /** Makes the bytes of a file, whose writer has closed it, survive a power loss. */
  void forceFile(String name) throws IOException;

  /** Makes the names in a directory survive a power loss. */
  void forceDirectory(String name) throws IOException;

  /**
   * Reads a whole file.
   *
   * @throws NoSuchFileException if it is absent
   */
  byte[] read(String name) throws IOException;

  /**
   * Opens a file to read any part of it.
   *
   * @throws NoSuchFileException if it is absent
   */
  SeekableByteChannel open(String name) throws IOException;

  /** Returns what is known of a file or directory, empty if it is absent. */
  Optional<StoredFile> find(String name) throws IOException;

  /** Returns the names in a directory, sorted; none if it is absent. */
  List<String> names(String directory) throws IOException;

  /**
   * Returns what is known of the files in a directory whose names are {@code from} or after it,
   * sorted by name; none if it is absent.
   */
  List<StoredFile> list(String directory, String from) throws IOException;

  /** Removes a file, or an empty directory; returns false if it is absent. */
  boolean delete(String name) throws IOException;

  /**
   * Moves a file or a directory, if it exists, to a name that does not. Whatever a crash leaves, no
   * file is lost, and the same call ends the move.
   */
  void move(String name, String to) throws IOException;

  /** Returns the file on a local disk that a name stands for, empty if files are elsewhere. */
  Optional<Path> local(String name);
}
