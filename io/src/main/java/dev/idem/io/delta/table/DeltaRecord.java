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

/**
 * What a Delta table remembers of one batch of one sink.
 *
 * @param sink the sink id, {@code application/sink}
 * @param batch the batch id
 * @param plan the fingerprint of the batch's plan
 * @param content the hash of the batch's rows
 * @param epoch the epoch of the checkpoint, empty without one
 * @param tableId the table that the batch was committed to
 * @param body the plan and the summary, as the committer gave them
 */
public record DeltaRecord(
    String sink,
    long batch,
    String plan,
    String content,
    String epoch,
    String tableId,
    String body) {}
