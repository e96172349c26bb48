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

import java.net.URI;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Places on a local disk as users write them: a plain path or a {@code file:} URI. */
public final class LocalPath {

  /** Two letters at least, so that a Windows drive is no scheme. */
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+):.*");

  private LocalPath() {}

  /**
   * Returns the absolute path of a location.
   *
   * @param thing what the location is of, capitalised, for the error message
   * @param location a plain path, or a {@code file:} URI without a host
   * @throws IllegalArgumentException if the location has another scheme, a host or no path
   */
  public static Path parse(String thing, String location) {
    Matcher matcher = SCHEME.matcher(location);
    if (location.isBlank()) {
      throw refuse(thing, location);
    }
    if (!matcher.matches()) {
      return Path.of(location).toAbsolutePath().normalize();
    }
    if (!matcher.group(1).equalsIgnoreCase("file")) {
      throw refuse(thing, location);
    }
    URI uri;
    try {
      uri = URI.create(location);
    } catch (IllegalArgumentException e) {
      throw refuse(thing, location);
    }
    String host = uri.getAuthority();
    if (uri.getPath() == null || uri.getPath().isEmpty() || (host != null && !host.isEmpty())) {
      throw refuse(thing, location);
    }
    return Path.of(uri.getPath()).toAbsolutePath().normalize();
  }

  private static IllegalArgumentException refuse(String thing, String location) {
    return new IllegalArgumentException(
        thing
            + " must be a local path or a file: URI, but was: \""
            + location
            + "\". Give a directory on a disk that outlives the job.");
  }
}
