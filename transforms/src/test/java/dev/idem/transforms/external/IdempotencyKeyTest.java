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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class IdempotencyKeyTest {

  /** Receivers remember keys, so they must never change; these were computed by another program. */
  @Test
  void keysAreFixedForEver() {
    assertThat(
        IdempotencyKey.of("orders/mail", bytes("k1"), new byte[] {1}),
        is("5ff0ed28c1c89606c3206859ff92986770d6d07b6e61322d74e3b7724aabe957"));
    assertThat(
        IdempotencyKey.of("orders/mail", bytes("k1"), new byte[0]),
        is("191e9229e9b35fe1f9f48ce0053b4f9b9612a26d361150c21edbb57d10a0137e"));
  }

  @Test
  void partsDoNotRunIntoOneAnother() {
    assertThat(
        IdempotencyKey.of("ab", bytes("c"), bytes("d")),
        is(not(IdempotencyKey.of("a", bytes("bc"), bytes("d")))));
    assertThat(
        IdempotencyKey.of("a", bytes("bc"), bytes("d")),
        is(not(IdempotencyKey.of("a", bytes("b"), bytes("cd")))));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
