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
import static org.hamcrest.Matchers.hasToString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ContentSumTest {

  private static final BigInteger MODULUS = BigInteger.ONE.shiftLeft(128);

  @Test
  void lowerHalfCarriesIntoTheUpperOne() {
    ContentSum sum = ContentSum.EMPTY.plus(new Fingerprint(0, -1)).plus(new Fingerprint(0, 1));

    assertThat(sum, is(new ContentSum(1, 0)));
  }

  @Test
  void sumWrapsAtItsModulus() {
    assertThat(new ContentSum(-1, -1).plus(new Fingerprint(0, 1)), is(ContentSum.EMPTY));
  }

  @Test
  void sumIsThatOfTheFingerprintsModulo128Bits() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    ContentSum sum = ContentSum.EMPTY;
    BigInteger expected = BigInteger.ZERO;
    for (int i = 0; i < 1_000; i++) {
      Fingerprint element = new Fingerprint(random.nextLong(), random.nextLong());
      sum = sum.plus(element);
      expected = expected.add(new BigInteger(element.toString(), 16)).mod(MODULUS);
    }

    assertThat("seed " + seed, new BigInteger(sum.toString(), 16), is(expected));
  }

  @Test
  void everyOrderAndGroupingGivesTheSameSum() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Fingerprint> elements = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      elements.add(new Fingerprint(random.nextLong(), random.nextLong()));
    }
    ContentSum inOrder = sum(elements);

    for (int round = 0; round < 20; round++) {
      Collections.shuffle(elements, random);
      int split = random.nextInt(elements.size());
      ContentSum parts =
          sum(elements.subList(0, split)).plus(sum(elements.subList(split, elements.size())));
      assertThat("seed " + seed, parts, is(inOrder));
    }
  }

  @Test
  void repeatedElementChangesTheSum() {
    Fingerprint element = Fingerprint.of(new byte[] {1});

    assertThat(
        ContentSum.EMPTY.plus(element).plus(element), is(not(ContentSum.EMPTY.plus(element))));
  }

  @Test
  void textIsReadBack() {
    ContentSum sum = new ContentSum(-2, 3);

    assertThat(sum, hasToString("fffffffffffffffe0000000000000003"));
    assertThat(ContentSum.parse(sum.toString()), is(sum));
  }

  private static ContentSum sum(List<Fingerprint> elements) {
    ContentSum sum = ContentSum.EMPTY;
    for (Fingerprint element : elements) {
      sum = sum.plus(element);
    }
    return sum;
  }
}
