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
package dev.idem.transforms.fingerprint;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThan;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class FingerprintTest {

  @Test
  void versionOneNeverChanges() {
    Fingerprint fingerprint =
        Fingerprint.of(
            "The quick brown fox jumps over the lazy dog".getBytes(StandardCharsets.UTF_8));

    assertThat(fingerprint.toString(), is("e34bbc7bbc071b6c7a433ca9c49a9347"));
    assertThat(Fingerprint.VERSION, is(1));
  }

  @Test
  void textFormIsReadBack() {
    Fingerprint fingerprint = new Fingerprint(-1, 5);

    assertThat(Fingerprint.parse(fingerprint.toString()), is(fingerprint));
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> Fingerprint.parse("abc")).getMessage(),
        is("Fingerprint must have 32 hexadecimal digits, but was: \"abc\"."));
  }

  @Test
  void shardsOfASmallerNumberAreWholeShardsOfALargerOne() {
    Random random = new Random(1);
    for (int i = 0; i < 1_000; i++) {
      Fingerprint fingerprint = new Fingerprint(random.nextLong(), random.nextLong());

      assertThat(fingerprint.shard(16), is(fingerprint.shard(64) / 4));
      assertThat(fingerprint.shard(1), is(0));
    }
    assertThat(new Fingerprint(-1, 0).shard(64), is(63));
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> new Fingerprint(0, 0).shard(3))
            .getMessage(),
        is("Shards must be a power of two, but was: 3."));
  }

  @Test
  void orderIsUnsigned() {
    assertThat(new Fingerprint(1, 0), lessThan(new Fingerprint(-1, 0)));
    assertThat(new Fingerprint(1, 1), lessThan(new Fingerprint(1, -1)));
  }
}
