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
package dev.idem.pipelines.targets;

import dev.idem.pipelines.stage.StageOutput;

/** What targets of a job may be called. */
final class TargetNames {
  private TargetNames() {}

  /** Returns a name that is no other's. */
  static String requireUsable(String name) {
    if (!name.matches("[A-Za-z0-9_.-]+")
        || name.equals(StageOutput.MEMORY)
        || name.equals(StageOutput.DEAD_LETTERS)) {
      throw new IllegalArgumentException(
          "Target name must be made of letters, digits, dots, dashes and underscores, and be neither"
              + " \"memory\" nor \"dead-letters\", but was: \""
              + name
              + "\".");
    }
    return name;
  }
}
