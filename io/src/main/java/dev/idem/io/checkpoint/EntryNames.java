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
package dev.idem.io.checkpoint;

import java.util.regex.Pattern;

/** The names of entries. */
final class EntryNames {

  private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

  private EntryNames() {}

  /** Returns true for the names that are batch ids or generations. */
  static boolean isNumber(String name) {
    return NUMBER.matcher(name).matches();
  }
}
