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
package dev.idem.io.delta.table;

import dev.idem.io.delta.kernel.KernelCommit;
import dev.idem.io.delta.kernel.KernelSnapshot;
import java.io.IOException;
import java.util.List;
import org.apache.beam.sdk.annotations.Internal;

/** What a commit does to files, planned on the very version that it is built on. */
@Internal
@FunctionalInterface
public interface FilePlan {

  /** Returns what is to be done to a version; asked anew after every commit of others. */
  List<KernelCommit.Action> on(KernelSnapshot snapshot) throws IOException;
}
