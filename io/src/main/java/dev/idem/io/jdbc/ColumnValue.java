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

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.sql.Types;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoField;
import java.time.temporal.Temporal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.beam.sdk.schemas.Schema.Field;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.EnumerationType;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.ReadableInstant;

/*
 * A row's value becomes one of: String, Long, BigDecimal, Double, Boolean, byte[], LocalDate,
 * LocalTime, LocalDateTime, OffsetDateTime, List of these, null. No zone but UTC is ever asked, so
 * the JVM's has no part in it, and nothing is rounded: a fraction of a second that the column does
 * not have is cut off towards the past, a fraction of a decimal is refused.
 */
/** Makes of a row's value what a column of a table takes. */
final class ColumnValue {

  private static final JsonFactory JSON = new JsonFactory();
  private static final HexFormat HEX = HexFormat.of();

  /** How many nanoseconds the last digit of a second is, by the number of digits. */
  private static final long[] UNITS = {
    1_000_000_000, 100_000_000, 10_000_000, 1_000_000, 100_000, 10_000, 1_000, 100, 10, 1
  };

  private ColumnValue() {}

  static @Nullable Object of(Column column, FieldType type, @Nullable Object value)
      throws BadValueException {
    if (value == null) {
      return null;
    }
    Object plain = plain(type, value);
    try {
      return switch (column.kind()) {
        case TEXT -> isNested(plain) ? json(type, value) : text(plain);
        case JSON -> plain instanceof String ? plain : json(type, value);
        case NUMBER -> number(column, plain);
        case DECIMAL -> decimal(column, plain);
        case FLOATING -> floating(column, plain);
        case BOOLEAN -> bool(column, plain);
        case BYTES -> plain instanceof byte[] ? plain : refused(column, plain);
        case DATE -> date(column, plain);
        case TIME -> time(column, plain);
        case TIMESTAMP -> timestamp(column, plain);
        case INSTANT -> instant(column, plain);
        case ARRAY ->
            plain instanceof Collection
                ? array(column.element(), type, (Collection<?>) plain)
                : refused(column, plain);
      };
    } catch (DateTimeParseException | NumberFormatException e) {
      throw refusal(column, plain);
    }
  }

  /** Returns the value without what Beam's types put around it. */
  private static Object plain(FieldType type, Object value) {
    if (value instanceof ReadableInstant time) {
      return Instant.ofEpochMilli(time.getMillis());
    }
    if (value instanceof EnumerationType.Value constant) {
      return type.getLogicalType(EnumerationType.class).toString(constant);
    }
    if (value instanceof UUID id) {
      return id.toString();
    }
    return value;
  }

  private static boolean isNested(Object value) {
    return value instanceof Row || value instanceof Map || value instanceof Collection;
  }

  private static String text(Object value) {
    if (value instanceof byte[] bytes) {
      return HEX.formatHex(bytes);
    }
    return value instanceof BigDecimal decimal ? decimal.toPlainString() : value.toString();
  }

  private static Object number(Column column, Object value) throws BadValueException {
    if (value instanceof Boolean flag) {
      return flag ? 1L : 0L;
    }
    if (value instanceof Byte
        || value instanceof Short
        || value instanceof Integer
        || value instanceof Long) {
      long whole = ((Number) value).longValue();
      // MySQL makes 2001 of 1.
      if (column.typeName().equals("year") && whole > 0 && whole < 100) {
        throw refusal(column, value);
      }
      return whole;
    }
    BigDecimal whole = new BigDecimal(value.toString());
    if (whole.stripTrailingZeros().scale() > 0) {
      throw refusal(column, value);
    }
    return new BigDecimal(whole.toBigIntegerExact());
  }

  private static Object decimal(Column column, Object value) throws BadValueException {
    BigDecimal decimal =
        value instanceof BigDecimal given ? given : new BigDecimal(value.toString());
    if (!column.keeps(decimal)) {
      throw refusal(column, value);
    }
    return decimal;
  }

  private static Object floating(Column column, Object value) throws BadValueException {
    double number =
        value instanceof Number given ? given.doubleValue() : Double.parseDouble(value.toString());
    boolean mysql = column.typeName().equals("double") || column.typeName().equals("float");
    // MySQL has numbers only; H2 makes infinity of what is too great.
    boolean fits =
        Double.isFinite(number)
            ? column.type() != Types.REAL || Float.isFinite((float) number)
            : !mysql;
    if (!fits) {
      throw refusal(column, value);
    }
    return number;
  }

  private static Object bool(Column column, Object value) throws BadValueException {
    if (value instanceof Boolean) {
      return value;
    }
    if (value instanceof Number number && (number.longValue() == 0 || number.longValue() == 1)) {
      return number.longValue() == 1;
    }
    return switch (value.toString()) {
      case "true" -> true;
      case "false" -> false;
      default -> throw refusal(column, value);
    };
  }

  private static Object date(Column column, Object value) throws BadValueException {
    if (value instanceof LocalDate) {
      return value;
    }
    return value instanceof String text ? LocalDate.parse(text) : refused(column, value);
  }

  private static Object time(Column column, Object value) throws BadValueException {
    if (value instanceof LocalTime time) {
      return time.minusNanos(excess(column, time));
    }
    if (value instanceof String text) {
      LocalTime time = LocalTime.parse(text);
      return time.minusNanos(excess(column, time));
    }
    return refused(column, value);
  }

  private static Object timestamp(Column column, Object value) throws BadValueException {
    LocalDateTime time;
    if (value instanceof Instant instant) {
      time = LocalDateTime.ofInstant(instant, ZoneOffset.UTC);
    } else if (value instanceof LocalDateTime local) {
      time = local;
    } else if (value instanceof String text) {
      time =
          text.endsWith("Z")
              ? LocalDateTime.ofInstant(Instant.parse(text), ZoneOffset.UTC)
              : LocalDateTime.parse(text.replace(' ', 'T'));
    } else {
      return refused(column, value);
    }
    // MariaDB's driver writes years before the first as if they came after.
    if (column.typeName().equals("datetime") && (time.getYear() < 0 || time.getYear() > 9999)) {
      throw refusal(column, value);
    }
    return time.minusNanos(excess(column, time));
  }

  private static Object instant(Column column, Object value) throws BadValueException {
    OffsetDateTime time;
    if (value instanceof Instant instant) {
      time = instant.atOffset(ZoneOffset.UTC);
    } else if (value instanceof LocalDateTime local) {
      time = local.atOffset(ZoneOffset.UTC);
    } else if (value instanceof String text) {
      time = OffsetDateTime.parse(text.replace(' ', 'T')).withOffsetSameInstant(ZoneOffset.UTC);
    } else {
      return refused(column, value);
    }
    return time.minusNanos(excess(column, time));
  }

  /** Returns what of a second the column does not have; fractions count from its start. */
  private static long excess(Column column, Temporal time) {
    return time.get(ChronoField.NANO_OF_SECOND) % UNITS[Math.min(9, Math.max(0, column.digits()))];
  }

  private static List<@Nullable Object> array(Column element, FieldType type, Collection<?> values)
      throws BadValueException {
    FieldType elementType = type.getCollectionElementType();
    List<@Nullable Object> array = new ArrayList<>();
    for (Object value : values) {
      Object plain = value == null ? null : plain(elementType, value);
      if (plain instanceof Collection<?> nested) {
        array.add(array(element, elementType, nested));
      } else {
        array.add(plain == null ? null : element(element, plain));
      }
    }
    return array;
  }

  private static Object element(Column column, Object plain) throws BadValueException {
    return switch (column.kind()) {
      case DECIMAL -> decimal(column, plain);
      case TIME -> time(column, plain);
      case TIMESTAMP -> timestamp(column, plain);
      case INSTANT -> instant(column, plain);
      default -> plain instanceof Instant instant ? instant.atOffset(ZoneOffset.UTC) : plain;
    };
  }

  private static String json(FieldType type, Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      write(json, type, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, FieldType type, @Nullable Object value)
      throws IOException {
    Object plain = value == null ? null : plain(type, value);
    if (plain == null) {
      json.writeNull();
    } else if (plain instanceof Row row) {
      json.writeStartObject();
      for (Field field : row.getSchema().getFields()) {
        json.writeFieldName(field.getName());
        write(json, field.getType(), row.getValue(field.getName()));
      }
      json.writeEndObject();
    } else if (plain instanceof Map<?, ?> map) {
      json.writeStartObject();
      for (Map.Entry<?, ?> entry : map.entrySet()) {
        json.writeFieldName(text(plain(type.getMapKeyType(), entry.getKey())));
        write(json, type.getMapValueType(), entry.getValue());
      }
      json.writeEndObject();
    } else if (plain instanceof Collection<?> list) {
      json.writeStartArray();
      for (Object element : list) {
        write(json, type.getCollectionElementType(), element);
      }
      json.writeEndArray();
    } else if (plain instanceof Boolean flag) {
      json.writeBoolean(flag);
    } else if (plain instanceof Double || plain instanceof Float) {
      json.writeNumber(((Number) plain).doubleValue());
    } else if (plain instanceof Number number) {
      json.writeNumber(new BigDecimal(number.toString()));
    } else {
      json.writeString(text(plain));
    }
  }

  private static Object refused(Column column, Object value) throws BadValueException {
    throw refusal(column, value);
  }

  private static BadValueException refusal(Column column, Object value) {
    String digits =
        switch (column.kind()) {
          case DECIMAL -> "(" + column.digits() + " digits behind the point)";
          default -> "";
        };
    // The value may be a secret of the row's owner; its type says what is wrong.
    return new BadValueException(
        "Column \"%s\" must get what a %s%s holds without rounding, but was: a %s that does not fit. Send another value, or change the column."
            .formatted(column.name(), column.typeName(), digits, value.getClass().getSimpleName()));
  }
}
