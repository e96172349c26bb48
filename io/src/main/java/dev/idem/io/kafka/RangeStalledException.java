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

import java.time.Duration;

/** A range did not come to its end in time: nothing more could be read below its end offset. */
public final class RangeStalledException extends KafkaSourceException {
  private static final long serialVersionUID = 1L;

  private final String topic;
  private final int partition;
  private final long position;
  private final long end;
  private final Duration timeout;

  RangeStalledException(
      String message,
      String topic,
      int partition,
      long position,
      long end,
      Duration timeout,
      Throwable cause) {
    super(message, cause);
    this.topic = topic;
    this.partition = partition;
    this.position = position;
    this.end = end;
    this.timeout = timeout;
  }

  /** Returns the topic. */
  public String topic() {
    return topic;
  }

  /** Returns the partition. */
  public int partition() {
    return partition;
  }

  /** Returns the offset that could not be read. */
  public long position() {
    return position;
  }

  /** Returns the end of the range. */
  public long end() {
    return end;
  }

  /** Returns how long nothing came. */
  public Duration timeout() {
    return timeout;
  }
}
