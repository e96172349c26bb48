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

/** An entry of the checkpoint has a format version that this version of the library cannot read. */
public final class UnsupportedFormatException extends RefusedException {

  private static final long serialVersionUID = 1L;

  private final String entry;
  private final String version;

  UnsupportedFormatException(String message, String entry, String version) {
    super(message);
    this.entry = entry;
    this.version = version;
  }

  /** Returns the path of the entry. */
  public String entry() {
    return entry;
  }

  /** Returns the version that the entry has. */
  public String version() {
    return version;
  }
}
