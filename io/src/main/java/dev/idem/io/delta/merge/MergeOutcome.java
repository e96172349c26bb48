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
package dev.idem.io.delta.merge;

import java.io.Serializable;

/**
 * How a merge ended.
 *
 * @param table the table's path
 * @param version the version of the commit, or in which the batch was found
 * @param alreadyCommitted whether an earlier run had committed the batch, so that nothing was done
 * @param changes how many changes the batch had
 * @param counts what was done with them
 * @param content the hash of the changes
 */
public record MergeOutcome(
    String table,
    long version,
    boolean alreadyCommitted,
    long changes,
    MergeCounts counts,
    String content)
    implements Serializable {}
