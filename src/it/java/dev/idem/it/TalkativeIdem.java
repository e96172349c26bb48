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

import dev.idem.pipelines.command.IdemInProcess;
import java.util.Arrays;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.config.Configurator;

/** Runs command lines one after the other, all libraries saying what they do, at level INFO. */
public final class TalkativeIdem {

  /** What stands between two command lines. */
  static final String NEXT = "--next";

  private TalkativeIdem() {}

  /** Runs command lines up to the first that fails, and ends the JVM with the last exit code. */
  public static void main(String[] arguments) {
    Configurator.setAllLevels("", Level.INFO);
    List<String> left = Arrays.asList(arguments);
    int exit = 0;
    while (exit == 0 && !left.isEmpty()) {
      int end = left.contains(NEXT) ? left.indexOf(NEXT) : left.size();
      Outcome outcome = IdemInProcess.run(left.subList(0, end).toArray(String[]::new));
      System.out.print(outcome.out());
      System.err.print(outcome.err());
      exit = outcome.exit();
      left = left.subList(Math.min(left.size(), end + 1), left.size());
    }
    System.exit(exit);
  }
}
