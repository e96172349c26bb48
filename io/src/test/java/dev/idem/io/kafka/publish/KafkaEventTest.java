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

import static dev.idem.io.kafka.publish.Topics.bytes;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.apache.beam.sdk.testing.CoderProperties;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class KafkaEventTest {

  private static final KafkaEvent FULL =
      KafkaEvent.of(bytes("key"), bytes("secret"), 7)
          .withHeader("trace", bytes("t"))
          .withHeader("none", null)
          .withTimestamp(Instant.ofEpochMilli(5));

  @Test
  void coderKeepsAllOfAnEvent() throws Exception {
    for (KafkaEvent event :
        List.of(FULL, KafkaEvent.of(bytes("k"), null, 0), KafkaEvent.of(bytes(""), bytes(""), 1))) {
      CoderProperties.coderDecodeEncodeEqual(KafkaEventCoder.of(), event);
      CoderProperties.coderDeterministic(KafkaEventCoder.of(), event, event);
    }
    CoderProperties.coderSerializable(KafkaEventCoder.of());
  }

  @Test
  void sequencesOfNumbersAreOrderedAsTheNumbers() {
    long[] numbers = {Long.MIN_VALUE, -2, -1, 0, 1, 255, 256, Long.MAX_VALUE};
    for (int i = 1; i < numbers.length; i++) {
      assertThat(
          Arrays.compareUnsigned(
              KafkaEvent.sequence(numbers[i - 1]), KafkaEvent.sequence(numbers[i])),
          lessThan(0));
    }
  }

  @Test
  void eventsWithoutANameAreRefused() {
    var noKey =
        assertThrows(
            IllegalArgumentException.class, () -> KafkaEvent.of(null, bytes("v"), bytes("1")));
    var noSequence =
        assertThrows(
            IllegalArgumentException.class, () -> KafkaEvent.of(bytes("k"), bytes("v"), null));

    assertThat(noKey.getMessage(), containsString("must have a key, but was: null"));
    assertThat(noSequence.getMessage(), containsString("must have a sequence, but was: null"));
  }

  @Test
  void ownHeadersAreReserved() {
    var refused =
        assertThrows(
            IllegalArgumentException.class, () -> FULL.withHeader("idem-event-id", bytes("x")));

    assertThat(refused.getMessage(), containsString("must not begin with \"idem-\""));
  }

  @Test
  void textShowsNothingOfAnEvent() {
    assertThat(FULL.toString(), is("KafkaEvent{key of 3 bytes, value of 6 bytes}"));
    assertThat(FULL.headers().toString(), not(containsString("secret")));
  }

  @Test
  void encodingIsThatOfRecordedContent() {
    assertThat(
        PublishSteps.content(List.of(FULL)).toString(), is("4c176fa27d9714a964e8139570dd266f"));
  }
}
