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

/**
 * An offset that is to be read lies above the end of the partition, as after the topic was created
 * again or lost its tail.
 */
public final class OffsetBeyondEndException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final int partition;
  private final long wanted;
  private final long logEnd;

  OffsetBeyondEndException(
      String message, String topic, int partition, long wanted, long logEnd, Throwable cause) {
    super(message, cause);
    this.topic = topic;
    this.partition = partition;
    this.wanted = wanted;
    this.logEnd = logEnd;
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

  /** Returns the offset after the last one of the partition. */
  public long logEnd() {
    return logEnd;
  }
}
