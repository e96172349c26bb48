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
package dev.idem.io.checkpoint;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All that decides one batch, written to {@code offsets/N} before the batch runs; a replay uses it
 * and nothing else.
 *
 * @param applicationId names the job to its targets
 * @param batch the batch id, from 0
 * @param epoch the random id of this life of the checkpoint
 * @param lease the generation of the lease under which the plan was made
 * @param clock the only time that the batch may take for now
 * @param source what the ranges belong to, for example the cluster id and each topic's id
 * @param ranges the input, by topic and partition
 * @param watermark the watermark at the start of the batch, empty as long as there is none
 * @param progress what each partition added to the watermark before this batch
 * @param schema the rows' schema, as Delta schema JSON
 * @param options the options that decide the content of the batch
 * @param shards the number of shards, a power of two
 * @param encoding the version of the canonical encoding behind fingerprints and content sums
 */
public record Plan(
    String applicationId,
    long batch,
    String epoch,
    long lease,
    Instant clock,
    Map<String, String> source,
    List<Range> ranges,
    Optional<Instant> watermark,
    List<Progress> progress,
    String schema,
    Map<String, String> options,
    int shards,
    int encoding) {

  /**
   * The option that names the batch with which the application was begun anew; every later plan
   * carries it on.
   */
  public static final String RESTARTED_AT = "restartedAt";

  /**
   * The offsets of one partition in one batch.
   *
   * @param start the first offset
   * @param end the offset after the last one
   * @param leaderEpoch the leader epoch of the record before {@code end}, or -1 if unknown
   */
  public record Range(String topic, int partition, long start, long end, int leaderEpoch) {
    /** Returns how many offsets the range spans. */
    public long size() {
      return end - start;
    }

    /** Returns the range from the same start to an end, whose leader epoch is known at its own. */
    public Range endingAt(long offset) {
      return offset == end ? this : new Range(topic, partition, start, offset, -1);
    }
  }

  /**
   * What one partition adds to the watermark.
   *
   * @param greatest the greatest event time that may move the watermark, empty if none was read
   * @param readAt the plan clock of the last batch that read records of the partition, empty if
   *     none did
   */
  public record Progress(
      String topic, int partition, Optional<Instant> greatest, Optional<Instant> readAt) {}

  /** Returns this plan with other ranges, to read less than it names. */
  public Plan withRanges(List<Range> others) {
    return new Plan(
        applicationId,
        batch,
        epoch,
        lease,
        clock,
        source,
        others,
        watermark,
        progress,
        schema,
        options,
        shards,
        encoding);
  }

  /** Returns whether the batch begins the application anew: its commits empty the targets first. */
  public boolean restarts() {
    return Long.toString(batch).equals(options.get(RESTARTED_AT));
  }

  /** Returns how many offsets the batch spans. */
  public long size() {
    return ranges.stream().mapToLong(Range::size).sum();
  }

  /**
   * Returns the SHA-256 of the plan's canonical JSON, in hexadecimal: the same in every JVM, and
   * different for plans that differ in anything.
   */
  public String fingerprint() {
    return PlanCodec.fingerprint(this);
  }
}
