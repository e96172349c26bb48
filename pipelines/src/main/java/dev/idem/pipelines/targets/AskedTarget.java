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
package dev.idem.pipelines.targets;

import dev.idem.io.checkpoint.TargetState;
import java.util.List;
import java.util.Set;

/** A target of a job as a start asks it what it holds. */
public sealed interface AskedTarget permits TargetTable, WorkerTarget {

  /** Returns what names the target within the job. */
  String name();

  /** Returns the name under which the target remembers batches of the job. */
  String sink();

  /** Returns whether the target keeps records, so that it can be asked. */
  boolean keepsRecords();

  /** Refuses a target that the job cannot write to as it is. */
  void refuseUnusable();

  /** Returns what the target says of the last batch it holds of this job. */
  TargetState targetState();

  /** Returns the last record of every sink that is not among {@code own}. */
  List<TargetRecords.Held> recordsOfOthers(Set<String> own);
}
