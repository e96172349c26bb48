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

/** A topic or a partition of it does not exist. */
public final class TopicNotFoundException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final int partition;

  TopicNotFoundException(String message, String topic, int partition, Throwable cause) {
    super(message, cause);
    this.topic = topic;
    this.partition = partition;
  }

  /** Returns the topic. */
  public String topic() {
    return topic;
  }

  /** Returns the partition, or -1 if the whole topic is missing. */
  public int partition() {
    return partition;
  }
}
