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
package dev.idem.io.delta;

import java.net.URI;
import java.nio.file.Path;

/** The paths that tables may have: local ones. */
final class TableLocation {

  private TableLocation() {}

  /** Returns the absolute local path behind a path or {@code file:} URI. */
  static Path path(String table) {
    if (table.isBlank()) {
      throw new IllegalArgumentException(
          "Table path must not be blank, but was: \"" + table + "\". Give a directory.");
    }
    int colon = table.indexOf(':');
    if (colon < 0 || table.startsWith("/") || table.indexOf('/') < colon) {
      return Path.of(table).toAbsolutePath().normalize();
    }
    if (!table.startsWith("file:")) {
      throw new IllegalArgumentException(
          "Table path must be a local path or a file: URI, but was: \""
              + table
              + "\". Only local file systems have a log store here that cannot lose commits.");
    }
    URI uri = URI.create(table);
    return Path.of(uri.getPath()).toAbsolutePath().normalize();
  }
}
