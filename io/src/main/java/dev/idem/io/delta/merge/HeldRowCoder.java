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
package dev.idem.io.delta.merge;

import dev.idem.transforms.changes.TableMerge;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.beam.sdk.coders.CustomCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarIntCoder;
import org.apache.beam.sdk.coders.VarLongCoder;

/** Encodes rows of the table and change rows beside it. */
final class HeldRowCoder extends CustomCoder<HeldRow> {

  private static final long serialVersionUID = 1L;
  private static final VarIntCoder NUMBER = VarIntCoder.of();
  private static final StringUtf8Coder SOURCE = StringUtf8Coder.of();
  private static final StringUtf8Coder PLAN = StringUtf8Coder.of();
  private static final VarLongCoder POSITION = VarLongCoder.of();

  private final RowCoder rows;
  private final RowCoder beside;

  HeldRowCoder(TableMerge merge) {
    this.rows = RowCoder.of(merge.rowSchema());
    this.beside = RowCoder.of(merge.besideSchema());
  }

  @Override
  public void encode(HeldRow value, OutputStream out) throws IOException {
    SOURCE.encode(value.source().name(), out);
    if (value.source() == HeldRow.Source.NONE) {
      PLAN.encode(value.plan(), out);
    } else {
      NUMBER.encode(value.file(), out);
      POSITION.encode(value.position(), out);
      coder(value.source()).encode(value.row(), out);
    }
  }

  @Override
  public HeldRow decode(InputStream in) throws IOException {
    HeldRow.Source source = HeldRow.Source.valueOf(SOURCE.decode(in));
    return source == HeldRow.Source.NONE
        ? HeldRow.groupOf(PLAN.decode(in))
        : HeldRow.of(source, NUMBER.decode(in), POSITION.decode(in), coder(source).decode(in));
  }

  private RowCoder coder(HeldRow.Source source) {
    return source == HeldRow.Source.TABLE ? rows : beside;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HeldRowCoder that
        && rows.equals(that.rows)
        && beside.equals(that.beside);
  }

  @Override
  public int hashCode() {
    return 31 * rows.hashCode() + beside.hashCode();
  }
}
