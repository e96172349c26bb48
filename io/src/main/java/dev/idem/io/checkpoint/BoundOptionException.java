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

import java.util.Optional;

/** An option that binds the checkpoint was given another value than at the first start. */
public final class BoundOptionException extends RefusedException {

  private static final long serialVersionUID = 1L;

  private final String option;
  private final String stored;
  private final String given;

  BoundOptionException(String message, String option, String stored, String given) {
    super(message);
    this.option = option;
    this.stored = stored;
    this.given = given;
  }

  /** Returns the name of the option. */
  public String option() {
    return option;
  }

  /** Returns the value at the first start, empty if there was none. */
  public Optional<String> stored() {
    return Optional.ofNullable(stored);
  }

  /** Returns the value given now, empty if there is none. */
  public Optional<String> given() {
    return Optional.ofNullable(given);
  }
}
