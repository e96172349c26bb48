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
package dev.idem.pipelines.job;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;

import dev.idem.pipelines.decode.Decoded;
import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class EventCoderTest {

  private static final Schema SCHEMA =
      Schema.builder().addStringField("id").addNullableField("n", Schema.FieldType.INT64).build();
  private static final Row ROW = Row.withSchema(SCHEMA).addValues("a", null).build();
  private static final EventCoder CODER = EventCoder.of(SCHEMA);

  private static Event there(Event event) throws CoderException {
    return CoderUtils.decodeFromByteArray(CODER, CoderUtils.encodeToByteArray(CODER, event));
  }

  private static void assertSurvives(Event event) throws CoderException {
    Event read = there(event);
    assertThat(read.row(), is(event.row()));
    assertThat(read.fate(), is(event.fate()));
    assertThat(read.refusal(), is(event.refusal()));
    assertThat(read.remembered(), is(event.remembered()));
    if (event.origin() == null) {
      assertThat(read.origin(), is(nullValue()));
      return;
    }
    assertThat(read.origin().topic(), is(event.origin().topic()));
    assertThat(read.origin().partition(), is(event.origin().partition()));
    assertThat(read.origin().offset(), is(event.origin().offset()));
    assertThat(read.origin().timestamp(), is(event.origin().timestamp()));
    assertThat(read.origin().key(), is(event.origin().key()));
    assertThat(read.origin().value(), is(event.origin().value()));
  }

  @Test
  void everyPartOfAnEventSurvives() throws CoderException {
    byte[] bytes = {0, -1};
    Remembered remembered =
        new Remembered(new Fingerprint(Long.MIN_VALUE, 3), -7, Instant.ofEpochMilli(-1));
    for (byte[] key : new byte[][] {null, new byte[0], bytes}) {
      for (byte[] value : new byte[][] {null, new byte[0], bytes}) {
        Event.Origin origin = new Event.Origin("t", 3, Long.MAX_VALUE, -1, key, value);
        Event event = Event.decoded(origin, ROW);
        assertSurvives(event);
        assertSurvives(event.remembering(remembered));
        assertSurvives(event.remembering(remembered).asDuplicate());
        assertSurvives(event.filtered());
        for (Decoded.Reason reason : Decoded.Reason.values()) {
          assertSurvives(event.asDeadLetter(reason, null, "rule"));
          assertSurvives(event.asDeadLetter(reason, "column", "rule"));
        }
      }
    }
    assertSurvives(Event.of(ROW));
  }
}
