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

/** A transaction that was open for longer than its timeout, so that the broker ended it. */
public final class TransactionTimedOutException extends KafkaPublishException {
  private static final long serialVersionUID = 1L;

  private final String transactionalId;
  private final java.time.Duration timeout;

  TransactionTimedOutException(
      String topic,
      String message,
      Throwable cause,
      String transactionalId,
      java.time.Duration timeout) {
    super(topic, message, cause);
    this.transactionalId = transactionalId;
    this.timeout = timeout;
  }

  /** Returns the transactional id. */
  public String transactionalId() {
    return transactionalId;
  }

  /** Returns the transaction's timeout. */
  public java.time.Duration timeout() {
    return timeout;
  }
}
