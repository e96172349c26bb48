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

import dev.idem.transforms.changes.InvalidChange.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.StructuredCoder;
import org.apache.beam.sdk.schemas.Schema;

/** Encodes changes that cannot be applied. */
final class InvalidChangeCoder extends StructuredCoder<InvalidChange> {
  private static final StringUtf8Coder TEXT = StringUtf8Coder.of();

  private final RowCoder row;

  private InvalidChangeCoder(RowCoder row) {
    this.row = row;
  }

  static InvalidChangeCoder of(Schema schema) {
    return new InvalidChangeCoder(RowCoder.of(schema));
  }

  @Override
  public void encode(InvalidChange change, OutputStream out) throws IOException {
    row.encode(change.row(), out);
    TEXT.encode(change.reason().name(), out);
    TEXT.encode(change.column(), out);
  }

  @Override
  public InvalidChange decode(InputStream in) throws IOException {
    return new InvalidChange(row.decode(in), Reason.valueOf(TEXT.decode(in)), TEXT.decode(in));
  }

  @Override
  public List<? extends Coder<?>> getCoderArguments() {
    return List.of(row);
  }

  @Override
  public void verifyDeterministic() throws NonDeterministicException {
    row.verifyDeterministic();
  }
}
