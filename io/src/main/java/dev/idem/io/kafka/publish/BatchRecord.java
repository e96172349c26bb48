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
package dev.idem.io.kafka.publish;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the progress topic remembers of a sink: its last batch, and the batches before it.
 *
 * @param batch the batch id
 * @param fingerprint the fingerprint of its plan
 * @param epoch the life of the checkpoint
 * @param lease the lease number of the run that has the batch
 * @param run the run that has the batch
 * @param shards how many shards the batch has, for good
 * @param topicId the id of the topic, which another topic of the same name does not have
 * @param since the offset in the progress topic from which on all records of the batch are
 * @param body what the caller keeps with the plan
 * @param closed whether the batch is published whole
 * @param summary what the caller keeps with the closed batch, empty while it is open
 * @param kept the last batches that are closed, the latest last
 */
public record BatchRecord(
    long batch,
    String fingerprint,
    String epoch,
    long lease,
    String run,
    int shards,
    String topicId,
    long since,
    String body,
    boolean closed,
    String summary,
    List<Kept> kept)
    implements Serializable {

  /** How many closed batches are remembered. */
  static final int MOST_KEPT = 100;

  /**
   * A closed batch.
   *
   * @param batch the batch id
   * @param fingerprint the fingerprint of its plan
   * @param epoch the life of the checkpoint
   * @param records how many events it has
   * @param content the hash of its events
   */
  public record Kept(long batch, String fingerprint, String epoch, long records, String content)
      implements Serializable {}

  /** Makes a copy of the list. */
  public BatchRecord {
    kept = List.copyOf(kept);
  }

  /** Returns what is remembered of a closed batch. */
  public Optional<Kept> kept(long id) {
    return kept.stream().filter(each -> each.batch() == id).findFirst();
  }

  boolean isOf(BatchPlan plan) {
    return batch == plan.batch()
        && fingerprint.equals(plan.fingerprint())
        && epoch.equals(plan.epoch());
  }

  boolean hasRun(long otherLease, String otherRun) {
    return lease == otherLease && run.equals(otherRun);
  }

  BatchRecord withSince(long offset) {
    return new BatchRecord(
        batch,
        fingerprint,
        epoch,
        lease,
        run,
        shards,
        topicId,
        offset,
        body,
        closed,
        summary,
        kept);
  }

  BatchRecord takenOver(BatchPlan plan) {
    return new BatchRecord(
        batch,
        fingerprint,
        epoch,
        plan.lease(),
        plan.run(),
        shards,
        topicId,
        since,
        body,
        closed,
        summary,
        kept);
  }

  BatchRecord close(String text, long records, String content) {
    List<Kept> all = new ArrayList<>(kept);
    all.add(new Kept(batch, fingerprint, epoch, records, content));
    List<Kept> last = all.subList(Math.max(0, all.size() - MOST_KEPT), all.size());
    return new BatchRecord(
        batch, fingerprint, epoch, lease, run, shards, topicId, since, body, true, text, last);
  }
}
