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
package dev.idem.transforms.changes;

import java.util.BitSet;
import java.util.List;
import org.apache.beam.sdk.annotations.Internal;
import org.apache.beam.sdk.values.Row;

/**
 * What has to be done in a table for the changes of a key. Nothing, if they were merged before.
 *
 * @param leaving which of the rows that the table holds of the key leave it
 * @param rows the rows to add
 * @param changes the changes to keep beside the table
 * @param deleted whether the key has no current row any more, but had one
 * @param stale how many of the changes say nothing that was not known
 * @param ties how many of the changes differ from another one at the same sequence
 */
@Internal
public record MergedKey(
    BitSet leaving, List<Row> rows, List<Row> changes, boolean deleted, long stale, long ties) {}
