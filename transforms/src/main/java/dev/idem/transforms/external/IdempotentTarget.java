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
package dev.idem.transforms.external;

import java.io.IOException;
import java.io.Serializable;
import java.util.concurrent.TimeoutException;

/**
 * Something outside that records are applied to and that bears being asked twice: by key, by the
 * idempotency key, or because the same record leaves it as it is.
 *
 * <p>What an implementation must keep: applying records that were applied before, whole or in part,
 * alone or among others, has no further effect. {@link WriteIdempotently} does the rest.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * record Mails(String server) implements IdempotentTarget<Order> {
 *   public Client<Order> open() throws IOException {
 *     MailClient mails = MailClient.connect(server);
 *     return effects -> {
 *       for (Effect<Order> effect : effects) {
 *         mails.send(effect.idempotencyKey(), effect.record().text());
 *       }
 *     };
 *   }
 * }
 * }</pre>
 *
 * @param <T> the type of the records
 */
public interface IdempotentTarget<T> extends Serializable {

  /**
   * Opens a client; it is used by one thread, for the records of one bundle, and closed after them.
   */
  Client<T> open() throws Exception;

  /** Says what an error of {@link Client#apply} means. Default: see {@link ErrorClass#of}. */
  default ErrorClass classify(Exception error) {
    return ErrorClass.of(error);
  }

  /**
   * A connection to the target.
   *
   * @param <T> the type of the records
   */
  @FunctionalInterface
  interface Client<T> {

    /**
     * Applies records, in their order. If it returns, all are written but those of which it said
     * otherwise. If it throws, those of which it said nothing are applied again.
     */
    void apply(Effects<T> effects) throws Exception;

    /** Closes the connection. Default: there is none. */
    default void close() throws Exception {}
  }

  /** What an error means for the records that were applied when it came. */
  enum ErrorClass {
    /** It may go away: the same records are applied again, after a while. */
    TRANSIENT,
    /** One of the records is bad: it is searched for, and becomes a dead letter. */
    RECORD,
    /** It will not go away, or nobody knows: the bundle fails, and with it the pipeline. */
    FATAL;

    /**
     * Returns what an error means unless a target knows better: that of input and output and that
     * of time are transient, a {@link RejectedRecordException} is a record's, all others are fatal.
     */
    public static ErrorClass of(Exception error) {
      if (error instanceof RejectedRecordException) {
        return RECORD;
      }
      boolean passing = error instanceof IOException || error instanceof TimeoutException;
      return passing || error instanceof RetryLaterException ? TRANSIENT : FATAL;
    }
  }
}
