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

/** A batch that the topic cannot take: none is skipped, and none added, on its number. */
public final class BatchRefusedException extends KafkaPublishException {
  private static final long serialVersionUID = 1L;

  private final String sink;
  private final long batch;
  private final long recorded;

  BatchRefusedException(
      String topic, String message, Throwable cause, String sink, long batch, long recorded) {
    super(topic, message, cause);
    this.sink = sink;
    this.batch = batch;
    this.recorded = recorded;
  }

  /** Returns the sink id, {@code application/sink}. */
  public String sink() {
    return sink;
  }

  /** Returns the refused batch id. */
  public long batch() {
    return batch;
  }

  /** Returns the last batch id that was recorded, or -1 if none. */
  public long recorded() {
    return recorded;
  }
}
