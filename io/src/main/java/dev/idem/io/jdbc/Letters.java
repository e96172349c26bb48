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
package dev.idem.io.jdbc;

import dev.idem.transforms.external.DeadLetter;
import java.util.Base64;
import java.util.List;
import org.apache.beam.sdk.coders.CoderException;
import org.apache.beam.sdk.coders.ListCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.util.CoderUtils;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Keeps dead letters as text in the record of their shard. */
final class Letters {
  private Letters() {}

  static @Nullable String toText(List<DeadLetter<Row>> letters, Schema schema) {
    if (letters.isEmpty()) {
      return null;
    }
    try {
      return Base64.getEncoder()
          .encodeToString(CoderUtils.encodeToByteArray(coder(schema), letters));
    } catch (CoderException e) {
      throw new IllegalStateException("Dead letters must be encodable.", e);
    }
  }

  static List<DeadLetter<Row>> parse(@Nullable String text, Schema schema) {
    if (text == null) {
      return List.of();
    }
    try {
      return CoderUtils.decodeFromByteArray(coder(schema), Base64.getDecoder().decode(text));
    } catch (CoderException e) {
      throw new IllegalStateException("Dead letters that are kept must be readable.", e);
    }
  }

  private static ListCoder<DeadLetter<Row>> coder(Schema schema) {
    return ListCoder.of(DeadLetter.coder(RowCoder.of(schema)));
  }
}
