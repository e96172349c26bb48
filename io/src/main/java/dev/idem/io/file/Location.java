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
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Locations as users write them: a plain path, a {@code file:} URI or one of a file system. */
final class Location {

  /** Two letters at least, so that a Windows drive is no scheme. */
  private static final Pattern SCHEME = Pattern.compile("([A-Za-z][A-Za-z0-9+.-]+):.*");

  private static final Pattern REMOTE = Pattern.compile("([A-Za-z0-9+.-]+)://([^/]+)(/.*)");

  private static final Pattern CREDENTIALS = Pattern.compile("[^@]*:[^@]*@.*");

  private Location() {}

  /**
   * Returns the absolute path of a location on a local disk, empty if it is elsewhere.
   *
   * @throws IllegalArgumentException if the location is none, or of a scheme that is not supported
   */
  static Optional<Path> local(String thing, String location) {
    if (location.isBlank()) {
      throw FileErrors.location(thing, location);
    }
    Matcher matcher = SCHEME.matcher(location);
    if (!matcher.matches()) {
      return Optional.of(Path.of(location).toAbsolutePath().normalize());
    }
    if (Publication.of(scheme(matcher)).isPresent()) {
      return Optional.empty();
    }
    if (!scheme(matcher).equals("file")) {
      throw FileErrors.location(thing, location);
    }
    URI uri;
    try {
      uri = URI.create(location);
    } catch (IllegalArgumentException e) {
      throw FileErrors.location(thing, location);
    }
    String host = uri.getAuthority();
    if (uri.getPath() == null || uri.getPath().isEmpty() || (host != null && !host.isEmpty())) {
      throw FileErrors.location(thing, location);
    }
    return Optional.of(Path.of(uri.getPath()).toAbsolutePath().normalize());
  }

  /**
   * Returns the directory of a Hadoop file system that a location names.
   *
   * @throws IllegalArgumentException if it names none, or holds credentials
   */
  static org.apache.hadoop.fs.Path remote(String thing, String location) {
    Matcher matcher = REMOTE.matcher(location);
    if (matcher.matches() && CREDENTIALS.matcher(matcher.group(2)).matches()) {
      throw FileErrors.credentials(thing);
    }
    if (!matcher.matches() || matcher.group(3).replace("/", "").isEmpty()) {
      throw FileErrors.location(thing, location);
    }
    return new org.apache.hadoop.fs.Path(
        scheme(matcher) + "://" + matcher.group(2) + matcher.group(3));
  }

  private static String scheme(Matcher matcher) {
    return matcher.group(1).toLowerCase(Locale.ROOT);
  }
}
