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

import java.util.List;
import java.util.Map;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * The changes of one shard, reduced and written to a file for all later steps to read.
 *
 * @param shard the number of the shard
 * @param file the file
 * @param keys how many keys it has
 * @param changes how many changes are in the file
 * @param rangesOf for each key column by which files can be told apart, ranges of its values
 * @param truncated the latest truncate, as it is kept beside the table, in base64, or null
 * @param content the sum over the changes as they came
 * @param received how many changes came
 * @param stale how many of them have no part in what the others of their key come to
 * @param ties how many differ from another one of their key at the same sequence
 */
record StagedShard(
    int shard,
    String file,
    int keys,
    int changes,
    Map<String, List<List<String>>> rangesOf,
    @Nullable String truncated,
    String content,
    long received,
    long stale,
    long ties) {}
