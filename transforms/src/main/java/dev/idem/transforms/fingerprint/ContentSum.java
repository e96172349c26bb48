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

import java.io.Serializable;

/**
 * The sum, modulo 2¹²⁸, of the fingerprints of a multiset: equal for equal contents in whatever
 * order, grouping or number of parts they were added.
 *
 * @param high the upper 64 bits of the sum
 * @param low the lower 64 bits of the sum
 */
public record ContentSum(long high, long low) implements Serializable {

  /** The sum of nothing. */
  public static final ContentSum EMPTY = new ContentSum(0, 0);

  /** Returns this sum with one more element. */
  public ContentSum plus(Fingerprint element) {
    return plus(element.high(), element.low());
  }

  /** Returns the sum of two multisets' union. */
  public ContentSum plus(ContentSum other) {
    return plus(other.high, other.low);
  }

  private ContentSum plus(long otherHigh, long otherLow) {
    long sum = low + otherLow;
    long carry = Long.compareUnsigned(sum, low) < 0 ? 1 : 0;
    return new ContentSum(high + otherHigh + carry, sum);
  }

  /** Returns the sum written by {@link #toString()}. */
  public static ContentSum parse(String hex) {
    Fingerprint bits = Fingerprint.parse(hex);
    return new ContentSum(bits.high(), bits.low());
  }

  @Override
  public String toString() {
    return new Fingerprint(high, low).toString();
  }
}
