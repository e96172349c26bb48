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
package dev.idem.pipelines.inspect;

import dev.idem.io.checkpoint.CheckpointView;

/** What can be told of the holder of a lease without touching the lease. */
final class LeaseHolder {

  private LeaseHolder() {}

  /** What became of the holder. */
  enum State {
    /** It ended in order. */
    RELEASED,
    /** A process of this host has its number and its start time. */
    RUNNING,
    /** No process of this host is it: it was killed, or is on another host. */
    NOT_HERE
  }

  static State state(CheckpointView.Holder holder) {
    if (holder.released()) {
      return State.RELEASED;
    }
    boolean running =
        ProcessHandle.of(holder.owner().pid())
            .flatMap(process -> process.info().startInstant())
            .filter(holder.owner().processStart()::equals)
            .isPresent();
    return running ? State.RUNNING : State.NOT_HERE;
  }
}
