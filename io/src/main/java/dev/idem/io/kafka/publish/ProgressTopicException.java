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

/** A progress topic that cannot serve: it forgets, or what it holds cannot be read. */
public final class ProgressTopicException extends KafkaPublishException {
  private static final long serialVersionUID = 1L;

  private final String progressTopic;

  ProgressTopicException(String topic, String message, Throwable cause, String progressTopic) {
    super(topic, message, cause);
    this.progressTopic = progressTopic;
  }

  /** Returns the progress topic. */
  public String progressTopic() {
    return progressTopic;
  }
}
