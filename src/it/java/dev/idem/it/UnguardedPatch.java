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
package dev.idem.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A patch that removes what guards one guarantee. Above its diff it has a line {@code Guarantee:},
 * in words, and a line {@code Test: module/FooTest#method}: the test that must fail with it.
 */
record UnguardedPatch(Path file, String guarantee, String module, String type, String method) {

  private static final Pattern GUARANTEE = Pattern.compile("(?m)^Guarantee: (.+)$");
  private static final Pattern TEST =
      Pattern.compile("(?m)^Test: ([a-z/-]+)/([A-Za-z0-9]+)#([A-Za-z0-9]+)$");

  /** Reads the patches of {@code src/it/unguarded}, sorted by name. */
  static List<UnguardedPatch> all(Path root) throws IOException {
    try (Stream<Path> files = Files.list(root.resolve("src/it/unguarded"))) {
      return files
          .filter(file -> file.toString().endsWith(".patch"))
          .sorted()
          .map(UnguardedPatch::read)
          .toList();
    }
  }

  static UnguardedPatch read(Path file) {
    String text;
    try {
      text = Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    String header = text.substring(0, Math.max(0, text.indexOf("\n--- ")));
    Matcher guarantee = GUARANTEE.matcher(header);
    Matcher test = TEST.matcher(header);
    if (!guarantee.find() || !test.find()) {
      throw new IllegalStateException(
          "Patch "
              + file.getFileName()
              + " must have the lines \"Guarantee: ...\" and \"Test: module/FooTest#method\" above its"
              + " diff, but was: \""
              + header.strip()
              + "\".");
    }
    return new UnguardedPatch(
        file, guarantee.group(1), test.group(1), test.group(2), test.group(3));
  }

  /** Whether Failsafe runs the test, not Surefire. */
  boolean isIntegrationTest() {
    return type.endsWith("IT");
  }

  String name() {
    return file.getFileName().toString();
  }

  String test() {
    return module + "/" + type + "#" + method;
  }

  @Override
  public String toString() {
    return name();
  }
}
