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

/** The checkpoint belongs to another application id than the one given. */
public final class OtherApplicationException extends RefusedException {

  private static final long serialVersionUID = 1L;

  private final String stored;
  private final String given;

  OtherApplicationException(String message, String stored, String given) {
    super(message);
    this.stored = stored;
    this.given = given;
  }

  /** Returns the application id of the checkpoint. */
  public String stored() {
    return stored;
  }

  /** Returns the application id that was given. */
  public String given() {
    return given;
  }
}
