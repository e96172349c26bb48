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
package dev.idem.transforms.dedup;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.transforms.dedup.KeyMemory.Remembered;
import dev.idem.transforms.fingerprint.Fingerprint;
import dev.idem.transforms.fingerprint.FingerprintCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.testing.CoderProperties;
import org.apache.beam.sdk.util.CoderUtils;
import org.joda.time.Instant;
import org.junit.jupiter.api.Test;

class CodersTest {
  private static final Remembered REMEMBERED =
      new Remembered(new Fingerprint(1, -2), -3, Instant.ofEpochMilli(-4));

  @Test
  void verdictsOfEveryKindComeBack() throws Exception {
    VerdictCoder<String> coder = VerdictCoder.of(StringUtf8Coder.of());

    for (Verdict.Kind kind : Verdict.Kind.values()) {
      CoderProperties.coderDecodeEncodeEqual(coder, Verdict.of(kind, "x"));
      CoderProperties.coderDecodeEncodeEqual(coder, new Verdict<>(kind, "x", REMEMBERED));
    }
    checkCoder(coder);
  }

  @Test
  void copiesOfEveryRoleComeBack() throws Exception {
    CopyCoder<String> coder = CopyCoder.of(StringUtf8Coder.of());

    for (Copy.Role role : Copy.Role.values()) {
      CoderProperties.coderDecodeEncodeEqual(coder, new Copy<>(role, 1, -2, 3, -4, "x"));
    }
    checkCoder(coder);
  }

  @Test
  void rememberedKeysTakeThirtyTwoBytes() throws Exception {
    assertThat(CoderUtils.encodeToByteArray(RememberedCoder.of(), REMEMBERED).length, is(32));
    CoderProperties.coderDecodeEncodeEqual(RememberedCoder.of(), REMEMBERED);
    CoderProperties.coderDecodeEncodeEqual(FingerprintCoder.of(), REMEMBERED.key());
    checkCoder(RememberedCoder.of());
    checkCoder(FingerprintCoder.of());
  }

  @Test
  void unknownCodesAreRefused() {
    byte[] bytes = {9};

    var verdict =
        assertThrows(
            CoderException.class,
            () -> CoderUtils.decodeFromByteArray(VerdictCoder.of(StringUtf8Coder.of()), bytes));
    var copy =
        assertThrows(
            CoderException.class,
            () -> CoderUtils.decodeFromByteArray(CopyCoder.of(StringUtf8Coder.of()), bytes));

    assertThat(verdict.getMessage(), containsString("must begin with 0 to 5, but was: 9"));
    assertThat(copy.getMessage(), containsString("must be 0 to 2, but was: 9"));
  }

  private static void checkCoder(Coder<?> coder) throws Exception {
    coder.verifyDeterministic();
    CoderProperties.coderSerializable(coder);
  }
}
