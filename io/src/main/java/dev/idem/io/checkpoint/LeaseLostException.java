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

/** This job's lease was taken over, or its files are gone; it must not write any more. */
public final class LeaseLostException extends RefusedException {

  private static final long serialVersionUID = 1L;

  private final long ours;
  private final long current;

  LeaseLostException(String message, long ours, long current) {
    super(message);
    this.ours = ours;
    this.current = current;
  }

  /** Returns the generation that this job held. */
  public long ours() {
    return ours;
  }

  /** Returns the highest generation there is, or -1 if none is left. */
  public long current() {
    return current;
  }
}
