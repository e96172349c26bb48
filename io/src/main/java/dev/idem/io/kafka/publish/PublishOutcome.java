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

import java.io.Serializable;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.SerializableCoder;

/**
 * What was published.
 *
 * @param topic the topic
 * @param batch the batch id, or -1 if the events belong to none
 * @param alreadyPublished whether an earlier run had published the whole batch, so that nothing was
 *     added
 * @param records the events of this run that the topic holds
 * @param content the hash of these events, empty if none was made
 */
public record PublishOutcome(
    String topic, long batch, boolean alreadyPublished, long records, String content)
    implements Serializable {

  static Coder<PublishOutcome> coder() {
    return SerializableCoder.of(PublishOutcome.class);
  }
}
