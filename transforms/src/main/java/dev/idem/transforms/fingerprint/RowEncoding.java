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

import java.io.Serial;
import java.io.Serializable;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A canonical encoding of a {@link Row}, or of some of its columns, to bytes: equal values give
 * equal bytes on every machine and in every process, and different values give different bytes.
 *
 * <p><b>Guarantee.</b> Two rows of the schema have the same encoding if and only if all encoded
 * columns are equal, where equal means:
 *
 * <ul>
 *   <li>null is equal to null only: not to an empty text, an empty list or the text "null";
 *   <li>whole numbers are compared as numbers, whatever their width, so a column that is widened
 *       later keeps its encodings; so are float and double;
 *   <li>every NaN is equal to every other NaN, and negative zero to zero;
 *   <li>decimals are compared as numbers: 1.0 is equal to 1.00;
 *   <li>texts are compared by their UTF-16 units, without normalisation;
 *   <li>a DATETIME is its millisecond, without its time zone;
 *   <li>logical types (a date, a timestamp in microseconds, an enumeration) are encoded as their
 *       base type;
 *   <li>nested rows and arrays are compared in order, maps without order.
 * </ul>
 *
 * Column names are not part of the encoding, their order is.
 *
 * <p><b>State and cost.</b> The encoders are chosen once, at construction. Encoding one row costs
 * no reflection and no look-up by name. Objects are immutable to their users, serialisable and safe
 * for use by several threads; a buffer is kept between calls.
 *
 * <p><b>Errors.</b> {@link #encode} and {@link #fingerprint} throw {@link
 * UnexpectedSchemaException} for a row of another schema.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * RowEncoding keys = RowEncoding.of(schema, List.of("session_id", "click_seq_num"));
 * Fingerprint key = keys.fingerprint(row);
 * }</pre>
 */
public final class RowEncoding implements Serializable {

  /** The version of the encoding; stored wherever encodings or their fingerprints are kept. */
  public static final int VERSION = 1;

  @Serial private static final long serialVersionUID = 1;

  /** A buffer that one huge row made larger than this is not kept for the next row. */
  private static final int MAX_KEPT_BUFFER = 1 << 20;

  private final Schema schema;
  private final List<String> columns;
  private final transient int[] indexes;
  private final transient ValueEncoder[] encoders;
  private final transient AtomicReference<EncodingBuffer> spareBuffer = new AtomicReference<>();
  private transient @Nullable Schema knownEqual;

  private RowEncoding(Schema schema, List<String> columns) {
    this.schema = schema;
    this.columns = columns;
    this.indexes = new int[columns.size()];
    this.encoders = new ValueEncoder[columns.size()];
    for (int i = 0; i < indexes.length; i++) {
      indexes[i] = schema.indexOf(columns.get(i));
      encoders[i] = ValueEncoder.of(schema.getField(indexes[i]).getType());
    }
  }

  /** Returns the encoding of all columns, in the schema's order. */
  public static RowEncoding of(Schema schema) {
    return of(schema, schema.getFieldNames());
  }

  /**
   * Returns the encoding of some columns, in the given order.
   *
   * @param schema the schema of the rows
   * @param columns names of top-level columns, each at most once; none encodes every row to nothing
   */
  public static RowEncoding of(Schema schema, List<String> columns) {
    for (String column : columns) {
      if (!schema.hasField(column)) {
        throw FingerprintErrors.missingColumn(column, schema);
      }
    }
    if (columns.stream().distinct().count() < columns.size()) {
      throw FingerprintErrors.repeatedColumn(columns);
    }
    return new RowEncoding(schema, List.copyOf(columns));
  }

  /** Returns the schema of the rows that can be encoded. */
  public Schema schema() {
    return schema;
  }

  /** Returns the names of the encoded columns. */
  public List<String> columns() {
    return columns;
  }

  /** Returns the encoding of {@code row}. */
  public byte[] encode(Row row) {
    EncodingBuffer buffer = fill(row);
    byte[] bytes = buffer.toByteArray();
    giveBack(buffer);
    return bytes;
  }

  /** Returns the fingerprint of the encoding of {@code row}, without copying the encoding. */
  public Fingerprint fingerprint(Row row) {
    EncodingBuffer buffer = fill(row);
    Fingerprint fingerprint = buffer.fingerprint();
    giveBack(buffer);
    return fingerprint;
  }

  private EncodingBuffer fill(Row row) {
    checkSchema(row.getSchema());
    EncodingBuffer spare = spareBuffer.getAndSet(null);
    EncodingBuffer buffer = spare != null ? spare : new EncodingBuffer();
    buffer.clear();
    for (int i = 0; i < indexes.length; i++) {
      encoders[i].writeNullable(row.getValue(indexes[i]), buffer);
    }
    return buffer;
  }

  private void giveBack(EncodingBuffer buffer) {
    if (buffer.capacity() <= MAX_KEPT_BUFFER) {
      spareBuffer.set(buffer);
    }
  }

  /** Compares schemas once for each schema object, not for each row. */
  @SuppressWarnings("ReferenceEquality")
  private void checkSchema(Schema actual) {
    if (actual == schema || actual == knownEqual) {
      return;
    }
    if (!actual.equals(schema)) {
      throw FingerprintErrors.unexpectedSchema(schema, actual);
    }
    knownEqual = actual;
  }

  @Serial
  private Object readResolve() {
    return new RowEncoding(schema, columns);
  }
}
