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
package dev.idem.pipelines.quickstart.environment;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table at the end: what was found, beside what follows from what was sent. */
public final class Figures {

  /** One line; {@code expected} is null where nothing is promised. */
  private record Figure(String name, Long expected, long found, String from) {
    boolean isWrong() {
      return expected != null && expected != found;
    }
  }

  private final List<Figure> figures = new ArrayList<>();

  /**
   * Adds a figure of the guarantee.
   *
   * @param expected what follows from what was sent
   * @param found what was read back
   * @param from where it was read
   */
  public void add(String name, long expected, long found, String from) {
    figures.add(new Figure(name, expected, found, from));
  }

  /** Adds a figure that may be any. */
  public void add(String name, long found, String from) {
    figures.add(new Figure(name, null, found, from));
  }

  /** Returns the names of the figures that are not as they must be. */
  public List<String> wrong() {
    return figures.stream().filter(Figure::isWrong).map(Figure::name).toList();
  }

  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    text.append(line("", "expected", "found", "read back from"));
    for (Figure figure : figures) {
      text.append(
          line(
              figure.name(),
              figure.expected() == null ? "" : number(figure.expected()),
              number(figure.found()),
              figure.from() + (figure.isWrong() ? "   <-- WRONG" : "")));
    }
    return text.toString();
  }

  private static String line(String name, String expected, String found, String from) {
    return "  %-34s %10s %10s   %s%n".formatted(name, expected, found, from);
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
