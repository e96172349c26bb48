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
package dev.idem.pipelines.job;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Option;

/** The option with which a command reaches file systems that take settings. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class HadoopOptions {

  @Option(
      names = "--hadoopConfig",
      paramLabel = "FILE",
      description =
          "Settings of Hadoop's file systems; secrets in it are $${env:NAME} or $${file:PATH}.")
  private @Nullable Path file;

  /**
   * Returns the settings, references not followed.
   *
   * @throws IllegalArgumentException if the file cannot be read
   */
  public Map<String, String> settings() {
    if (file == null) {
      return Map.of();
    }
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--hadoopConfig must be a readable file, but was: \"" + file + "\".", e);
    }
    Map<String, String> settings = new TreeMap<>();
    properties
        .stringPropertyNames()
        .forEach(name -> settings.put(name, properties.getProperty(name)));
    return settings;
  }
}
