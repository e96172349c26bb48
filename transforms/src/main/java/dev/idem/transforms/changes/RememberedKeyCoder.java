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
package dev.idem.transforms.changes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.apache.beam.sdk.coders.BooleanCoder;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.InstantCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.StructuredCoder;

/** Encodes what is remembered of a key. */
final class RememberedKeyCoder extends StructuredCoder<RememberedKey> {
  private static final BooleanCoder IS_LIVE = BooleanCoder.of();
  private static final InstantCoder LATEST = InstantCoder.of();

  private final RowCoder live;
  private final RowCoder deleted;

  RememberedKeyCoder(RowCoder live, RowCoder deleted) {
    this.live = live;
    this.deleted = deleted;
  }

  static RememberedKeyCoder of(ChangeLayout layout) {
    return new RememberedKeyCoder(
        RowCoder.of(layout.guarded().schema()), RowCoder.of(layout.deleteSchema()));
  }

  @Override
  public void encode(RememberedKey key, OutputStream out) throws IOException {
    IS_LIVE.encode(key.live() != null, out);
    if (key.live() != null) {
      live.encode(key.live(), out);
    } else {
      deleted.encode(key.deleted(), out);
    }
    LATEST.encode(key.latest(), out);
  }

  @Override
  public RememberedKey decode(InputStream in) throws IOException {
    boolean isLive = IS_LIVE.decode(in);
    return new RememberedKey(
        isLive ? live.decode(in) : null, isLive ? null : deleted.decode(in), LATEST.decode(in));
  }

  @Override
  public List<? extends Coder<?>> getCoderArguments() {
    return List.of(live, deleted);
  }

  @Override
  public void verifyDeterministic() throws NonDeterministicException {
    live.verifyDeterministic();
    deleted.verifyDeterministic();
  }
}
