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

/** A commit that took rows out of a table whose versions are read as additions. */
public final class TableChangedException extends DeltaTableException {

  private static final long serialVersionUID = 1L;

  private final long version;

  /** Only this library makes it. */
  public TableChangedException(String table, long version, String message) {
    super(table, message, null);
    this.version = version;
  }

  /** Returns the version of the commit. */
  public long version() {
    return version;
  }
}
