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
package dev.idem.io.memory;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.nullValue;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class FingerprintMapTest {

  @Test
  void mapHoldsWhatAPlainMapHolds() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Map<Fingerprint, Remembered> expected = new HashMap<>();
    FingerprintMap map = new FingerprintMap();
    for (int i = 0; i < 20_000; i++) {
      // Few low words, so that slots collide.
      Fingerprint key = new Fingerprint(random.nextInt(2_000), random.nextInt(8));
      Remembered now =
          new Remembered(key, random.nextLong(), Instant.ofEpochMilli(random.nextInt(100)));
      map.put(key.high(), key.low(), now.payload(), now.expiry().getMillis(), i);
      expected.merge(key, now, (old, more) -> more.expiry().isAfter(old.expiry()) ? more : old);
    }

    assertThat("seed " + seed, map.size(), is(expected.size()));
    expected.forEach((key, value) -> assertThat("seed " + seed, map.find(key), is(value)));
    assertThat(map.find(new Fingerprint(-1, -1)), is(nullValue()));
    FingerprintMap live = map.without(50);
    expected.values().removeIf(value -> value.expiry().getMillis() <= 50);
    assertThat("seed " + seed, live.size(), is(expected.size()));
    expected.forEach((key, value) -> assertThat("seed " + seed, live.find(key), is(value)));
  }

  @Test
  void keyThatIsSeenAgainWithALaterExpiryTakesTheNewContent() {
    FingerprintMap map = new FingerprintMap();
    Fingerprint key = new Fingerprint(1, 2);
    map.put(1, 2, 10, 100, 0);
    map.put(1, 2, 11, 100, 1);
    assertThat(map.find(key), is(new Remembered(key, 10, Instant.ofEpochMilli(100))));

    map.put(1, 2, 12, 101, 2);

    assertThat(map.find(key), is(new Remembered(key, 12, Instant.ofEpochMilli(101))));
    assertThat(map.size(), is(1));
  }

  @Test
  void keyIsForgottenWhenTheWatermarkReachesItsExpiry() {
    FingerprintMap map = new FingerprintMap();
    map.put(1, 2, 10, 100, 0);

    assertThat(map.without(99).size(), is(1));
    assertThat(map.without(100).size(), is(0));
  }

  @Test
  void expiryThatMarksAFreeSlotIsRefused() {
    assertThrows(
        IllegalArgumentException.class, () -> new FingerprintMap().put(1, 2, 3, Long.MIN_VALUE, 0));
  }
}
