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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.sameInstance;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetResetStrategy;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class ConsumerPoolTest {
  private static final KafkaConfig ONE = KafkaConfig.of("one:1");
  private static final KafkaConfig OTHER = KafkaConfig.of("other:1");

  @Test
  void consumerIsUsedAgainForTheSameSettingsOnly() {
    ConsumerPool pool = new ConsumerPool(config -> new Closing(), Duration.ofMinutes(5));
    Consumer<byte[], byte[]> first = pool.borrow(ONE);
    first.assign(Set.of(new TopicPartition("t", 0)));
    pool.giveBack(ONE, first);

    Consumer<byte[], byte[]> other = pool.borrow(OTHER);
    Consumer<byte[], byte[]> again = pool.borrow(ONE);
    Consumer<byte[], byte[]> second = pool.borrow(ONE);

    assertThat(other, not(sameInstance(first)));
    assertThat(again, sameInstance(first));
    assertThat(again.assignment(), equalTo(Set.of()));
    assertThat(second, not(sameInstance(first)));
  }

  @Test
  void consumerThatNobodyAsksForIsClosed() throws Exception {
    ConsumerPool pool = new ConsumerPool(config -> new Closing(), Duration.ofMillis(1));
    Closing consumer = (Closing) pool.borrow(ONE);

    pool.giveBack(ONE, consumer);

    assertThat(consumer.closed.await(30, TimeUnit.SECONDS), equalTo(true));
    assertThat(pool.borrow(ONE), not(sameInstance(consumer)));
  }

  @Test
  void consumerThatMetAnErrorIsClosed() {
    ConsumerPool pool = new ConsumerPool(config -> new Closing(), Duration.ofMinutes(5));
    Closing consumer = (Closing) pool.borrow(ONE);

    pool.discard(consumer);

    assertThat(consumer.closed.getCount(), equalTo(0L));
    assertThat(pool.borrow(ONE), not(sameInstance(consumer)));
  }

  /** A consumer that tells when it is closed. */
  private static final class Closing extends MockConsumer<byte[], byte[]> {
    final CountDownLatch closed = new CountDownLatch(1);

    Closing() {
      super(OffsetResetStrategy.NONE);
    }

    @Override
    public synchronized void close(Duration timeout) {
      super.close(timeout);
      closed.countDown();
    }
  }
}
