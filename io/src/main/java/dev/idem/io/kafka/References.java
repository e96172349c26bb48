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
package dev.idem.io.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** References to values that live elsewhere: {@code ${env:NAME}} and {@code ${file:PATH}}. */
final class References {
  static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):([^}]+)}");

  private References() {}

  static boolean isReference(String value) {
    return REFERENCE.matcher(value).matches();
  }

  /** Returns the value with every reference replaced by what it refers to. */
  static String follow(String setting, String value) {
    Matcher matcher = REFERENCE.matcher(value);
    StringBuilder result = new StringBuilder();
    while (matcher.find()) {
      String found =
          matcher.group(1).equals("env")
              ? environment(setting, matcher.group(2))
              : file(setting, matcher.group(2));
      matcher.appendReplacement(result, Matcher.quoteReplacement(found));
    }
    return matcher.appendTail(result).toString();
  }

  private static String environment(String setting, String name) {
    String value = System.getenv(name);
    if (value == null) {
      throw KafkaErrors.noEnvironment(setting, name);
    }
    return value;
  }

  private static String file(String setting, String path) {
    try {
      return Files.readString(Path.of(path)).stripTrailing();
    } catch (IOException | IllegalArgumentException e) {
      throw KafkaErrors.noFile(setting, path, e);
    }
  }
}
