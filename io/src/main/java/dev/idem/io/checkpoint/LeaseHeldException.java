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

/** Another live job holds the lease of the checkpoint. */
public final class LeaseHeldException extends RefusedException {

  private static final long serialVersionUID = 1L;

  private final LeaseOwner holder;
  private final long generation;
  private final boolean onThisHost;

  LeaseHeldException(String message, LeaseOwner holder, long generation, boolean onThisHost) {
    super(message);
    this.holder = holder;
    this.generation = generation;
    this.onThisHost = onThisHost;
  }

  /** Returns the job that holds the lease. */
  public LeaseOwner holder() {
    return holder;
  }

  /** Returns the generation of the lease that it holds. */
  public long generation() {
    return generation;
  }

  /**
   * Returns true if the holder is proved alive by a lock on this host; false if it is on another
   * host, where only a heartbeat that stands still can prove its death.
   */
  public boolean isOnThisHost() {
    return onThisHost;
  }
}
