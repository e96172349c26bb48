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

import java.nio.file.Path;
import java.util.Optional;

/**
 * One operation on a local file system, as a {@link FileObserver} sees it.
 *
 * @param kind what is done
 * @param path the file or directory; for a link the new name, for a rename the old one
 * @param other the existing file of a link, or the new name of a rename
 */
public record FileOperation(Kind kind, Path path, Optional<Path> other) {

  /** What an operation does. */
  public enum Kind {
    /** Creates a file that did not exist, or opens an existing one to write it over. */
    OPEN,
    /** Hands bytes to the operating system, which may lose them. */
    WRITE,
    /** Makes the bytes of a file survive a power loss. */
    FORCE_FILE,
    /** Makes the names in a directory survive a power loss. */
    FORCE_DIRECTORY,
    /** Gives a file a second name, which must not exist. */
    LINK,
    /** Replaces a name, whether it exists or not. */
    RENAME,
    /** Removes a name. */
    DELETE,
    /** Creates a directory. */
    CREATE_DIRECTORY,
    /** Reads a whole file. */
    READ,
    /** Reads the names in a directory. */
    LIST
  }

  static FileOperation of(Kind kind, Path path) {
    return new FileOperation(kind, path.toAbsolutePath().normalize(), Optional.empty());
  }

  static FileOperation of(Kind kind, Path path, Path other) {
    return new FileOperation(
        kind, path.toAbsolutePath().normalize(), Optional.of(other.toAbsolutePath().normalize()));
  }
}
