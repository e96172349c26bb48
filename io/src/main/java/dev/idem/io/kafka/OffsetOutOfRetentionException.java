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

/** The broker no longer has an offset that is to be read: retention or a deletion removed it. */
public final class OffsetOutOfRetentionException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final int partition;
  private final long wanted;
  private final long earliest;

  OffsetOutOfRetentionException(
      String message, String topic, int partition, long wanted, long earliest, Throwable cause) {
    super(message, cause);
    this.topic = topic;
    this.partition = partition;
    this.wanted = wanted;
    this.earliest = earliest;
  }

  /** Returns the topic. */
  public String topic() {
    return topic;
  }

  /** Returns the partition. */
  public int partition() {
    return partition;
  }

  /** Returns the offset that was to be read. */
  public long wanted() {
    return wanted;
  }

  /** Returns the earliest offset that the broker still has. */
  public long earliest() {
    return earliest;
  }
}
