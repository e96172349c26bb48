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
package dev.idem.transforms;

import org.apache.beam.sdk.values.TupleTag;

/**
 * The main output of a step that has several others.
 *
 * <p>If only the main output of a step is read, the Spark runner gives its reader the elements of
 * all of them, in batch pipelines of Beam 2.70. So where an output may be left unread, the main one
 * is this.
 */
public final class NoOutput {

  /** Tags the output that has no elements. */
  public static final TupleTag<Void> TAG = new TupleTag<>("none") {};

  private NoOutput() {}
}
