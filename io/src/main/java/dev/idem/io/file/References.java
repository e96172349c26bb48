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
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * References to values that live elsewhere: {@code ${env:NAME}} and {@code ${file:PATH}}. The text
 * of a file is taken without a line break at its end.
 */
public final class References {

  private static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):([^}]+)}");

  private References() {}

  /** Returns whether a value is nothing but one reference. */
  public static boolean isReference(String value) {
    return REFERENCE.matcher(value).matches();
  }

  /**
   * Returns a value with every reference replaced by what it refers to.
   *
   * @throws UnresolvedReferenceException for a variable that is not set, or a file that cannot be
   *     read
   */
  public static String follow(String value) throws UnresolvedReferenceException {
    Matcher matcher = REFERENCE.matcher(value);
    StringBuilder result = new StringBuilder();
    while (matcher.find()) {
      String found =
          matcher.group(1).equals("env") ? environment(matcher.group(2)) : file(matcher.group(2));
      matcher.appendReplacement(result, Matcher.quoteReplacement(found));
    }
    return matcher.appendTail(result).toString();
  }

  private static String environment(String name) throws UnresolvedReferenceException {
    String value = System.getenv(name);
    if (value == null) {
      throw new UnresolvedReferenceException(true, name, null);
    }
    return value;
  }

  private static String file(String path) throws UnresolvedReferenceException {
    try {
      return Files.readString(Path.of(path)).stripTrailing();
    } catch (IOException | IllegalArgumentException e) {
      throw new UnresolvedReferenceException(false, path, e);
    }
  }
}
