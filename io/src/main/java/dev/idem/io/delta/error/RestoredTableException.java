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

/** A table that was restored to a version before the last commit of a sink. */
public final class RestoredTableException extends DeltaTableException {

  private static final long serialVersionUID = 1L;

  private final String sink;
  private final long restore;

  /** Only this library makes it. */
  public RestoredTableException(String table, String sink, long restore, String message) {
    super(table, message, null);
    this.sink = sink;
    this.restore = restore;
  }

  /** Returns the sink id, {@code application/sink}. */
  public String sink() {
    return sink;
  }

  /** Returns the table version of the RESTORE. */
  public long restore() {
    return restore;
  }
}
