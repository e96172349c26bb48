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
package dev.idem.io.delta.file;

import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.parquet.io.api.Binary;

/**
 * Partition values in the text form of the Delta protocol, and the directories named after them.
 */
public final class PartitionValues {

  /* In the form without "Z" a reader takes its own zone for the writer's. */
  private static final DateTimeFormatter TIMESTAMP =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter LOCAL_TIMESTAMP =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final String NULL_DIRECTORY = "__HIVE_DEFAULT_PARTITION__";
  private static final String PLAIN = "-_.+@,;()$!'";

  /* A file name may have 255 bytes; the log holds the value, the directory is only a name. */
  private static final int NAME_LIMIT = 200;

  private PartitionValues() {}

  /** Returns the values of {@code columns} at {@code positions} of a bound row. */
  static Map<String, String> of(List<DeltaColumn> columns, int[] positions, Object[] row) {
    Map<String, String> values = new LinkedHashMap<>();
    for (int c = 0; c < positions.length; c++) {
      values.put(columns.get(c).physicalName(), text(columns.get(c), row[positions[c]]));
    }
    return Collections.unmodifiableMap(values);
  }

  static String text(DeltaColumn column, Object value) {
    if (value == null) {
      return null;
    }
    if (column.type() instanceof DeltaType.Decimal decimal) {
      BigInteger unscaled =
          value instanceof Binary bytes
              ? new BigInteger(bytes.getBytes())
              : BigInteger.valueOf(((Number) value).longValue());
      return new BigDecimal(unscaled, decimal.scale()).toPlainString();
    }
    return switch ((DeltaType.Primitive) column.type()) {
      case STRING -> ((Binary) value).toStringUsingUTF8();
      case BYTE, SHORT, INTEGER, LONG, FLOAT, DOUBLE, BOOLEAN -> value.toString();
      case TIMESTAMP -> TIMESTAMP.format(instant((Long) value));
      case TIMESTAMP_NTZ -> LOCAL_TIMESTAMP.format(instant((Long) value));
      case DATE -> LocalDate.ofEpochDay((Integer) value).toString();
      case BINARY -> throw new IllegalStateException(column.name());
    };
  }

  /** Returns the value of a Beam row that a partition value in text form stands for. */
  public static Object parse(DeltaColumn column, String text) {
    if (text == null) {
      return null;
    }
    if (column.type() instanceof DeltaType.Decimal decimal) {
      return new BigDecimal(text).setScale(decimal.scale());
    }
    return switch ((DeltaType.Primitive) column.type()) {
      case STRING -> text;
      case BYTE -> Byte.valueOf(text);
      case SHORT -> Short.valueOf(text);
      case INTEGER -> Integer.valueOf(text);
      case LONG -> Long.valueOf(text);
      case FLOAT -> Float.valueOf(text);
      case DOUBLE -> Double.valueOf(text);
      case BOOLEAN -> Boolean.valueOf(text);
      case DATE -> LocalDate.parse(text);
      // Other writers use the form of ISO 8601, or fewer digits.
      case TIMESTAMP ->
          text.endsWith("Z") ? Instant.parse(text) : local(text).toInstant(ZoneOffset.UTC);
      case TIMESTAMP_NTZ -> local(text);
      case BINARY -> throw new IllegalStateException(column.name());
    };
  }

  private static LocalDateTime local(String text) {
    return LocalDateTime.parse(text.replace(' ', 'T'));
  }

  /** Returns the instant that many microseconds after, or before, 1970. */
  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  /** Returns the relative directory, empty without partition columns, with plain ASCII names. */
  static String directory(Map<String, String> values) {
    StringBuilder path = new StringBuilder();
    values.forEach(
        (name, value) ->
            path.append(
                    shorten(escape(name) + "=" + (value == null ? NULL_DIRECTORY : escape(value))))
                .append('/'));
    return path.toString();
  }

  /** Returns a name that a file system takes: a long one ends in a hash of the whole. */
  public static String shorten(String name) {
    return name.length() <= NAME_LIMIT
        ? name
        : name.substring(0, NAME_LIMIT - 17)
            + "~"
            + dev.idem.transforms.fingerprint.Fingerprint.of(name.getBytes(StandardCharsets.UTF_8))
                .toString()
                .substring(0, 16);
  }

  /** Escapes all that a file system, or a reader of directory names, could take for more. */
  public static String escape(String text) {
    if (text.isEmpty()) {
      return "%";
    }
    StringBuilder escaped = new StringBuilder();
    for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
      char c = (char) (b & 0xff);
      boolean plain = c < 0x80 && (Character.isLetterOrDigit(c) || PLAIN.indexOf(c) >= 0);
      if (plain) {
        escaped.append(c);
      } else {
        escaped.append('%').append(String.format(Locale.ROOT, "%02X", (int) c));
      }
    }
    return escaped.toString();
  }

  /** Returns a relative path as a URI, as the log wants it. */
  static String uri(String relativePath) {
    StringBuilder uri = new StringBuilder();
    for (int i = 0; i < relativePath.length(); i++) {
      char c = relativePath.charAt(i);
      uri.append(c == '%' ? "%25" : String.valueOf(c));
    }
    return uri.toString();
  }
}
