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

/** A replay of a batch that gave other events under the same plan. */
public final class ContentChangedException extends KafkaPublishException {
  private static final long serialVersionUID = 1L;

  private final String sink;
  private final long batch;
  private final String recordedContent;
  private final String content;

  ContentChangedException(
      String topic,
      String message,
      Throwable cause,
      String sink,
      long batch,
      String recordedContent,
      String content) {
    super(topic, message, cause);
    this.sink = sink;
    this.batch = batch;
    this.recordedContent = recordedContent;
    this.content = content;
  }

  /** Returns the sink id, {@code application/sink}. */
  public String sink() {
    return sink;
  }

  /** Returns the batch id. */
  public long batch() {
    return batch;
  }

  /** Returns the content hash that was recorded. */
  public String recordedContent() {
    return recordedContent;
  }

  /** Returns the content hash of this attempt. */
  public String content() {
    return content;
  }
}
