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

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The key by which a receiver knows that it was asked for an effect before: the SHA-256 of a
 * namespace, a record's key and its sequence, as 64 hexadecimal digits.
 *
 * <p>It is made of nothing else, so every attempt and every replay has the same one, and effects of
 * another namespace, key or sequence have another. Each part is preceded by its length in four
 * bytes: no two triples run into one another.
 */
public final class IdempotencyKey {

  private static final HexFormat HEX = HexFormat.of();

  private IdempotencyKey() {}

  /**
   * Returns the idempotency key of an effect.
   *
   * @param namespace names who asks and of whom, such as application id and target; it stays the
   *     same over restarts
   * @param key what the effect is about, encoded
   * @param sequence which of the effects on this key it is, encoded; no bytes if there is but one
   */
  public static String of(String namespace, byte[] key, byte[] sequence) {
    MessageDigest digest = sha256();
    add(digest, namespace.getBytes(StandardCharsets.UTF_8));
    add(digest, key);
    add(digest, sequence);
    return HEX.formatHex(digest.digest());
  }

  private static void add(MessageDigest digest, byte[] part) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).flip());
    digest.update(part);
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform must have SHA-256.", e);
    }
  }
}
