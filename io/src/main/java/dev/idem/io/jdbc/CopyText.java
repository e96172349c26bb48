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

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.util.HexFormat;
import java.util.List;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Writes rows as PostgreSQL's {@code COPY} reads them: text, tabs, a line a row. */
final class CopyText {
  private static final HexFormat HEX = HexFormat.of();

  private final StringBuilder text = new StringBuilder();

  /** Adds a row. */
  void row(@Nullable Object[] values, long number, boolean delete) {
    for (Object value : values) {
      field(value);
      text.append('\t');
    }
    text.append(number).append('\t').append(delete ? '1' : '0').append('\n');
  }

  /** Adds a row of values alone. */
  void row(@Nullable Object[] values) {
    for (int i = 0; i < values.length; i++) {
      if (i > 0) {
        text.append('\t');
      }
      field(values[i]);
    }
    text.append('\n');
  }

  /** Returns how many characters there are. */
  int length() {
    return text.length();
  }

  /** Returns the rows that were added and forgets them. */
  byte[] take() {
    byte[] bytes = text.toString().getBytes(StandardCharsets.UTF_8);
    text.setLength(0);
    return bytes;
  }

  private void field(@Nullable Object value) {
    if (value == null) {
      text.append("\\N");
    } else if (value instanceof Number number) {
      text.append(plain(number));
    } else if (value instanceof Boolean flag) {
      text.append(flag ? 't' : 'f');
    } else if (value instanceof byte[] bytes) {
      text.append("\\\\x").append(HEX.formatHex(bytes));
    } else if (value instanceof OffsetDateTime time
        && time.getYear() > 0
        && time.getYear() < 10_000) {
      time(time);
    } else {
      escape(value instanceof List<?> list ? array(list) : literal(value));
    }
  }

  /** Writes what {@link OffsetDateTime#toString} of a time in UTC gives, and is quicker at it. */
  private void time(OffsetDateTime time) {
    digits(time.getYear(), 1000);
    text.append('-');
    digits(time.getMonthValue(), 10);
    text.append('-');
    digits(time.getDayOfMonth(), 10);
    text.append('T');
    digits(time.getHour(), 10);
    text.append(':');
    digits(time.getMinute(), 10);
    text.append(':');
    digits(time.getSecond(), 10);
    if (time.getNano() > 0) {
      text.append('.');
      digits(time.getNano(), 100_000_000);
    }
    text.append('Z');
  }

  /** Writes a number with as many digits as its greatest place has. */
  private void digits(int number, int place) {
    for (int rest = place; rest > 0; rest /= 10) {
      text.append((char) ('0' + number / rest % 10));
    }
  }

  private static String plain(Number number) {
    return number instanceof BigDecimal decimal ? decimal.toPlainString() : number.toString();
  }

  private static String literal(Object value) {
    return value instanceof LocalDate
            || value instanceof LocalDateTime
            || value instanceof OffsetDateTime
        ? dated(((Temporal) value).get(ChronoField.YEAR), value.toString())
        : value.toString();
  }

  /** PostgreSQL knows years before the first and after the 9999th by other signs than ISO. */
  private static String dated(int year, String iso) {
    if (year > 9999) {
      return iso.substring(1);
    }
    return year > 0 ? iso : "%04d".formatted(1 - year) + iso.substring(iso.indexOf('-', 1)) + " BC";
  }

  private void escape(String field) {
    int from = 0;
    for (int i = 0; i < field.length(); i++) {
      String escaped =
          switch (field.charAt(i)) {
            case '\\' -> "\\\\";
            case '\t' -> "\\t";
            case '\n' -> "\\n";
            case '\r' -> "\\r";
            default -> null;
          };
      if (escaped != null) {
        text.append(field, from, i).append(escaped);
        from = i + 1;
      }
    }
    text.append(field, from, field.length());
  }

  private static String array(List<?> elements) {
    StringBuilder array = new StringBuilder("{");
    for (Object element : elements) {
      if (array.length() > 1) {
        array.append(',');
      }
      if (element == null) {
        array.append("NULL");
      } else if (element instanceof List<?> nested) {
        array.append(array(nested));
      } else if (element instanceof Number number) {
        array.append(plain(number));
      } else {
        String text =
            element instanceof byte[] bytes ? "\\x" + HEX.formatHex(bytes) : literal(element);
        array.append('"').append(text.replace("\\", "\\\\").replace("\"", "\\\"")).append('"');
      }
    }
    return array.append('}').toString();
  }
}
