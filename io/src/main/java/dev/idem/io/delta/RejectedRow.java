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
package dev.idem.io.delta;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.Serializable;
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.CustomCoder;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/**
 * A row of an unbounded input that {@link WriteExactlyOnce} did not commit, in its window.
 *
 * @param reason why not
 * @param row the row as it was given
 */
public record RejectedRow(Reason reason, Row row) implements Serializable {

  /** Why a row was not committed. */
  public enum Reason {
    /** It came after its window was committed. The table does not hold it. */
    LATE,
    /**
     * Its window is in the table with other rows. The table holds this one if the attempt that was
     * committed had it too.
     */
    OTHER_CONTENT,
    /**
     * Its window is older than all that its lane remembers, so that nobody can tell whether the
     * table holds it.
     */
    OLDER_THAN_LANE
  }

  static Coder<RejectedRow> coder(Schema schema) {
    return new RejectedRowCoder(schema);
  }

  private static final class RejectedRowCoder extends CustomCoder<RejectedRow> {

    private static final long serialVersionUID = 1L;
    private static final StringUtf8Coder TEXT = StringUtf8Coder.of();

    private final RowCoder rows;

    RejectedRowCoder(Schema schema) {
      this.rows = RowCoder.of(schema);
    }

    @Override
    public void encode(RejectedRow value, OutputStream out) throws IOException {
      TEXT.encode(value.reason().name(), out);
      rows.encode(value.row(), out);
    }

    @Override
    public RejectedRow decode(InputStream in) throws IOException {
      return new RejectedRow(Reason.valueOf(TEXT.decode(in)), rows.decode(in));
    }

    @Override
    public void verifyDeterministic() throws NonDeterministicException {
      rows.verifyDeterministic();
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof RejectedRowCoder coder && coder.rows.equals(rows);
    }

    @Override
    public int hashCode() {
      return rows.hashCode();
    }
  }
}
