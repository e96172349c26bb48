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
import java.util.HexFormat;
import org.apache.commons.codec.digest.MurmurHash3;

/**
 * A 128-bit fingerprint of canonically encoded bytes: MurmurHash3 x64 128 with seed 0.
 *
 * <p>Not cryptographic: somebody who may choose the bytes can make two of them meet. Among n
 * fingerprints of unrelated values the chance that any two are equal is about n²/2¹²⁹.
 *
 * @param high the first 64 bits, as the hash function gives them
 * @param low the last 64 bits
 */
public record Fingerprint(long high, long low) implements Comparable<Fingerprint>, Serializable {

  /** The version of the hash function; stored wherever fingerprints are kept. */
  public static final int VERSION = 1;

  /** Returns the fingerprint of {@code bytes}. */
  public static Fingerprint of(byte[] bytes) {
    return of(bytes, 0, bytes.length);
  }

  /** Returns the fingerprint of {@code length} bytes from {@code offset}. */
  public static Fingerprint of(byte[] bytes, int offset, int length) {
    long[] hash = MurmurHash3.hash128x64(bytes, offset, length, 0);
    return new Fingerprint(hash[0], hash[1]);
  }

  /** Returns the fingerprint written by {@link #toString()}. */
  public static Fingerprint parse(String hex) {
    if (hex.length() != 32) {
      throw new IllegalArgumentException(
          "Fingerprint must have 32 hexadecimal digits, but was: \"" + hex + "\".");
    }
    return new Fingerprint(
        HexFormat.fromHexDigitsToLong(hex, 0, 16), HexFormat.fromHexDigitsToLong(hex, 16, 32));
  }

  /** Returns the shard, of {@code shards} (a power of two), that the first bits name. */
  public int shard(int shards) {
    if (shards < 1 || Integer.bitCount(shards) != 1) {
      throw new IllegalArgumentException("Shards must be a power of two, but was: " + shards + ".");
    }
    return shards == 1 ? 0 : (int) (high >>> (64 - Integer.numberOfTrailingZeros(shards)));
  }

  @Override
  public int compareTo(Fingerprint other) {
    int byHigh = Long.compareUnsigned(high, other.high);
    return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
  }

  @Override
  public String toString() {
    HexFormat hex = HexFormat.of();
    return hex.toHexDigits(high) + hex.toHexDigits(low);
  }
}
