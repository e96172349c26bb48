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
package dev.idem.io.kafka;

import java.util.OptionalLong;

/**
 * The broker replaced records below a known offset: the log no longer continues the one that was
 * read.
 */
public final class LogTruncatedException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final int partition;
  private final long offset;
  private final int leaderEpoch;
  private final long divergence;

  LogTruncatedException(
      String message,
      String topic,
      int partition,
      long offset,
      int leaderEpoch,
      long divergence,
      Throwable cause) {
    super(message, cause);
    this.topic = topic;
    this.partition = partition;
    this.offset = offset;
    this.leaderEpoch = leaderEpoch;
    this.divergence = divergence;
  }

  /** Returns the topic. */
  public String topic() {
    return topic;
  }

  /** Returns the partition. */
  public int partition() {
    return partition;
  }

  /** Returns the known offset. */
  public long offset() {
    return offset;
  }

  /** Returns the leader epoch under which the offset was known. */
  public int leaderEpoch() {
    return leaderEpoch;
  }

  /** Returns the offset up to which the log is still the same, empty if the broker cannot say. */
  public OptionalLong divergence() {
    return divergence < 0 ? OptionalLong.empty() : OptionalLong.of(divergence);
  }
}
