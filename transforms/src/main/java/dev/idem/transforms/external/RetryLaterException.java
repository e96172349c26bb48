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
package dev.idem.transforms.external;

import java.time.Duration;

/** The receiver said when it wants to be asked again. */
public final class RetryLaterException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Duration after;

  /**
   * An error that says how long to wait.
   *
   * @param after the least time until the next attempt
   */
  public RetryLaterException(String message, Duration after) {
    super(message);
    this.after = after;
  }

  /** Returns the least time until the next attempt. */
  public Duration after() {
    return after;
  }
}
