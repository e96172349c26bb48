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
package dev.idem.io.jdbc;

import dev.idem.transforms.external.DeadLetter;
import dev.idem.transforms.fingerprint.ContentSum;
import java.util.List;
import org.apache.beam.sdk.values.Row;

/**
 * What came of a shard.
 *
 * @param rows how many rows the table took
 * @param letters the rows that it will never take
 * @param content the sum of all rows' fingerprints
 * @param alreadyWritten whether an earlier attempt wrote it
 */
record ShardResult(
    int shard,
    long rows,
    List<DeadLetter<Row>> letters,
    ContentSum content,
    boolean alreadyWritten) {}
