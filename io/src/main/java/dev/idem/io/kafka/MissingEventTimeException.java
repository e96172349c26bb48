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

/** The event time function gave nothing for a record. */
public final class MissingEventTimeException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final int partition;
  private final long offset;

  MissingEventTimeException(String message, String topic, int partition, long offset) {
    super(message, null);
    this.topic = topic;
    this.partition = partition;
    this.offset = offset;
  }

  /** Returns the topic. */
  public String topic() {
    return topic;
  }

  /** Returns the partition. */
  public int partition() {
    return partition;
  }

  /** Returns the offset of the record. */
  public long offset() {
    return offset;
  }
}
