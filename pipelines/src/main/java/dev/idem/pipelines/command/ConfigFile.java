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
package dev.idem.pipelines.command;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.IDefaultValueProvider;

/**
 * The options of {@code --config=FILE}: properties with the names of options, whose values may be
 * {@code ${env:NAME}} or {@code ${file:PATH}}. An option on the command line wins.
 */
final class ConfigFile {

  private static final String OPTION = "--config=";
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):([^}]+)}");

  private ConfigFile() {}

  static String[] strip(String... arguments) {
    return Arrays.stream(arguments)
        .filter(argument -> !argument.startsWith(OPTION))
        .toArray(String[]::new);
  }

  static IDefaultValueProvider provider(String... arguments) {
    Properties properties = new Properties();
    for (String argument : arguments) {
      if (argument.startsWith(OPTION)) {
        load(Path.of(argument.substring(OPTION.length())), properties);
      }
    }
    return option -> {
      String value = null;
      if (option.isOption()) {
        String name =
            ((picocli.CommandLine.Model.OptionSpec) option).longestName().replaceFirst("^--", "");
        value = properties.getProperty(name);
      }
      return value == null ? null : resolve(value);
    };
  }

  private static void load(Path file, Properties properties) {
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--config must be a readable file, but was: \"" + file + "\".", e);
    }
  }

  private static String resolve(String value) {
    Matcher reference = REFERENCE.matcher(value);
    return reference.replaceAll(
        match -> Matcher.quoteReplacement(referred(match.group(1), match.group(2))));
  }

  private static String referred(String kind, String name) {
    if (kind.equals("env")) {
      @Nullable String value = System.getenv(name);
      if (value == null) {
        throw new IllegalArgumentException(
            "Environment variable must be set, but is not: \"" + name + "\".");
      }
      return value;
    }
    try {
      return Files.readString(Path.of(name)).strip();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "Referred file must be readable, but was: \"" + name + "\".", e);
    }
  }
}
