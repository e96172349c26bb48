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
package dev.idem.io.delta.error;

/** A commit that gave way to other writers each time; nothing of it is in the table. */
public final class CommitConflictException extends DeltaTableException {

  private static final long serialVersionUID = 1L;

  private final int attempts;

  /** Only this library makes it. */
  public CommitConflictException(String table, int attempts, String message, Throwable cause) {
    super(table, message, cause);
    this.attempts = attempts;
  }

  /** Returns how often the commit was built anew. */
  public int attempts() {
    return attempts;
  }
}
