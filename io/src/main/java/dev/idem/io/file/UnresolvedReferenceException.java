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

import org.checkerframework.checker.nullness.qual.Nullable;

/** A reference leads to nothing: a variable is not set, or a file cannot be read. */
public final class UnresolvedReferenceException extends Exception {

  private static final long serialVersionUID = 1L;

  private final boolean environment;
  private final String name;

  UnresolvedReferenceException(boolean environment, String name, @Nullable Throwable cause) {
    super("Reference must lead to a value, but was: \"" + name + "\".", cause);
    this.environment = environment;
    this.name = name;
  }

  /** Returns whether it refers to an environment variable, not to a file. */
  public boolean isEnvironment() {
    return environment;
  }

  /** Returns the name of the variable, or the path of the file. */
  public String name() {
    return name;
  }
}
