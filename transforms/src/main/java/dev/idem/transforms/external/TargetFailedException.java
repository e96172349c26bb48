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

/**
 * Records could not be applied: the target failed with a transient error at every attempt, or with
 * one that will not go away. Nothing is lost: all of the bundle's records come again when it is
 * replayed.
 */
public final class TargetFailedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int attempts;

  TargetFailedException(String message, int attempts, Throwable cause) {
    super(message, cause);
    this.attempts = attempts;
  }

  /** Returns how often the records were applied. */
  public int attempts() {
    return attempts;
  }
}
