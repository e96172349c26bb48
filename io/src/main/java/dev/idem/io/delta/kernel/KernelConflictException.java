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
package dev.idem.io.delta.kernel;

import org.apache.beam.sdk.annotations.Internal;

/** A commit that did not happen, or of which it is not known whether it happened. */
@Internal
public final class KernelConflictException extends Exception {

  private static final long serialVersionUID = 1L;

  /** Why the commit did not end well. */
  public enum Kind {
    /** The table holds the transaction id at this or a higher version. */
    TRANSACTION,
    /** The table's schema, properties or protocol changed. */
    TABLE,
    /** Another commit removed a file that this one removes. */
    FILES,
    /** Other commits came first each time. */
    BUSY,
    /** The entry may have been written. */
    UNKNOWN
  }

  private final Kind kind;

  KernelConflictException(Kind kind, Throwable cause) {
    super(cause.getMessage(), cause);
    this.kind = kind;
  }

  /** Returns why the commit did not end well. */
  public Kind kind() {
    return kind;
  }
}
