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
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.UnsupportedFileSystemException;

/*
 * Hadoop's own cache knows file systems by host and user, whatever their configuration: the second
 * table of a bucket would be read with the credentials of the first.
 */
/** The Hadoop file systems that this JVM has opened, one for a host and a configuration. */
final class HadoopFiles {

  private record Key(URI host, Map<String, String> configuration) {}

  private static final Map<Key, FileSystem> OPEN = new ConcurrentHashMap<>();

  private HadoopFiles() {}

  /**
   * Returns the file system of a location.
   *
   * @param configuration settings over those of {@code core-site.xml}, references not followed
   */
  static FileSystem of(URI location, Map<String, String> configuration) {
    URI host = URI.create(location.getScheme() + "://" + location.getRawAuthority() + "/");
    return OPEN.computeIfAbsent(
        new Key(host, Map.copyOf(configuration)), key -> open(host, configuration));
  }

  private static FileSystem open(URI host, Map<String, String> configuration) {
    Configuration hadoop = new Configuration();
    configuration.forEach((name, value) -> hadoop.set(name, HadoopSettings.follow(name, value)));
    try {
      return FileSystem.newInstance(host, hadoop);
    } catch (UnsupportedFileSystemException e) {
      throw FileErrors.noFileSystem(host.getScheme(), e);
    } catch (IOException e) {
      throw new UncheckedIOException("File system of \"" + host + "\" must be opened.", e);
    } catch (NoClassDefFoundError e) {
      throw FileErrors.noFileSystem(host.getScheme(), e);
    } catch (RuntimeException e) {
      if (e.getCause() instanceof ClassNotFoundException) {
        throw FileErrors.noFileSystem(host.getScheme(), e);
      }
      throw e;
    }
  }
}
