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

import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.ValueNode;
import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.hadoop.metadata.ParquetMetadata;
import org.apache.parquet.io.api.Binary;

/*
 * Readers skip a file if its bounds exclude what they look for, so a bound may be too wide but never
 * too narrow: what the JSON cannot express exactly is widened (timestamps to milliseconds, long
 * text to a prefix) or left out (NaN, infinities, years of more than four digits).
 */
/** A data file's statistics as Delta's add action holds them, taken from the Parquet footer. */
public final class FileStatistics {

  /**
   * As many columns, counted without those that others are in, as Delta indexes unless a table says
   * otherwise.
   */
  private static final int INDEXED_COLUMNS = 32;

  private static final int TEXT_LIMIT = 32;
  private static final long MICROS_PER_MILLI = 1000;
  private static final DateTimeFormatter MILLIS =
      DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS", Locale.ROOT)
          .withZone(ZoneOffset.UTC);
  private static final JsonNodeFactory NODES = JsonNodeFactory.instance;
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .enable(com.fasterxml.jackson.core.JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
          .build();

  private FileStatistics() {}

  /** Returns those of a file's columns that its statistics hold bounds of; none within a column. */
  public static List<DeltaColumn> bounded(List<DeltaColumn> columns) {
    List<DeltaColumn> bounded = new ArrayList<>();
    int indexed = 0;
    for (DeltaColumn column : columns) {
      if (indexed < INDEXED_COLUMNS && isOrdered(column.type())) {
        bounded.add(column);
      }
      indexed += indexed(column.type());
    }
    return bounded;
  }

  private static boolean isOrdered(DeltaType type) {
    return type instanceof DeltaType.Decimal
        || (type instanceof DeltaType.Primitive
            && type != DeltaType.Primitive.BOOLEAN
            && type != DeltaType.Primitive.BINARY);
  }

  private static int indexed(DeltaType type) {
    return type instanceof DeltaType.Struct struct
        ? struct.fields().stream().mapToInt(field -> indexed(field.type())).sum()
        : 1;
  }

  /** Returns the statistics of the columns, which are those of the file in the same order. */
  static String json(ParquetMetadata footer, List<DeltaColumn> columns) {
    Bounds bounds = new Bounds(footer.getBlocks());
    ObjectNode minimum = NODES.objectNode();
    ObjectNode maximum = NODES.objectNode();
    ObjectNode nulls = NODES.objectNode();
    bounds.add(columns, minimum, maximum, nulls);
    long rows = footer.getBlocks().stream().mapToLong(BlockMetaData::getRowCount).sum();
    ObjectNode result = NODES.objectNode();
    result.put("numRecords", rows);
    result.set("minValues", minimum);
    result.set("maxValues", maximum);
    result.set("nullCount", nulls);
    try {
      return JSON.writeValueAsString(result);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Goes through the columns of a file, of which each has as many chunks as it has leaves. */
  private static final class Bounds {
    private final List<BlockMetaData> blocks;
    private int chunk;
    private int indexed;

    Bounds(List<BlockMetaData> blocks) {
      this.blocks = blocks;
    }

    void add(List<DeltaColumn> columns, ObjectNode minimum, ObjectNode maximum, ObjectNode nulls) {
      for (DeltaColumn column : columns) {
        if (column.type() instanceof DeltaType.Struct struct) {
          add(
              struct.fields(),
              minimum.putObject(column.physicalName()),
              maximum.putObject(column.physicalName()),
              nulls.putObject(column.physicalName()));
          drop(column.physicalName(), minimum, maximum, nulls);
        } else if (column.type() instanceof DeltaType.Array
            || column.type() instanceof DeltaType.Map) {
          // Of what repeats within a row Delta keeps no bounds.
          chunk += leaves(column.type());
          indexed++;
        } else {
          if (indexed < INDEXED_COLUMNS) {
            addLeaf(column, minimum, maximum, nulls);
          }
          chunk++;
          indexed++;
        }
      }
    }

    private static void drop(String name, ObjectNode... nodes) {
      for (ObjectNode node : nodes) {
        if (node.get(name).isEmpty()) {
          node.remove(name);
        }
      }
    }

    private static int leaves(DeltaType type) {
      if (type instanceof DeltaType.Struct struct) {
        return struct.fields().stream().mapToInt(field -> leaves(field.type())).sum();
      }
      if (type instanceof DeltaType.Array array) {
        return leaves(array.element());
      }
      return type instanceof DeltaType.Map map ? leaves(map.key()) + leaves(map.value()) : 1;
    }

    private void addLeaf(
        DeltaColumn column, ObjectNode minimum, ObjectNode maximum, ObjectNode nulls) {
      Statistics<?> statistics = merge();
      nulls.put(column.physicalName(), statistics.getNumNulls());
      if (statistics.hasNonNullValue()) {
        ValueNode low = lower(column.type(), statistics.genericGetMin());
        ValueNode high = upper(column.type(), statistics.genericGetMax());
        if (low != null && high != null) {
          minimum.set(column.physicalName(), low);
          maximum.set(column.physicalName(), high);
        }
      }
    }

    private Statistics<?> merge() {
      Statistics<?> merged = null;
      for (BlockMetaData block : blocks) {
        ColumnChunkMetaData found = block.getColumns().get(chunk);
        if (merged == null) {
          merged = found.getStatistics().copy();
        } else {
          merged.mergeStatistics(found.getStatistics());
        }
      }
      return merged;
    }
  }

  private static ValueNode lower(DeltaType type, Object value) {
    if (type == DeltaType.Primitive.STRING) {
      return NODES.textNode(prefix(text(value)));
    }
    return isTimestamp(type)
        ? millis(type, Math.floorDiv((Long) value, MICROS_PER_MILLI))
        : exact(type, value);
  }

  private static ValueNode upper(DeltaType type, Object value) {
    if (type == DeltaType.Primitive.STRING) {
      String bound = successor(text(value));
      return bound == null ? null : NODES.textNode(bound);
    }
    return isTimestamp(type)
        ? millis(type, -Math.floorDiv(-(Long) value, MICROS_PER_MILLI))
        : exact(type, value);
  }

  private static boolean isTimestamp(DeltaType type) {
    return type == DeltaType.Primitive.TIMESTAMP || type == DeltaType.Primitive.TIMESTAMP_NTZ;
  }

  private static ValueNode exact(DeltaType type, Object value) {
    if (type instanceof DeltaType.Decimal decimal) {
      return NODES.numberNode(new BigDecimal(unscaled(value), decimal.scale()));
    }
    return switch ((DeltaType.Primitive) type) {
      case LONG -> NODES.numberNode((Long) value);
      case BYTE, SHORT, INTEGER -> NODES.numberNode((Integer) value);
      case FLOAT -> Float.isFinite((Float) value) ? NODES.numberNode((Float) value) : null;
      case DOUBLE -> Double.isFinite((Double) value) ? NODES.numberNode((Double) value) : null;
      case DATE -> date((Integer) value);
      // Delta keeps no bounds of these.
      case BOOLEAN, BINARY, STRING, TIMESTAMP, TIMESTAMP_NTZ -> null;
    };
  }

  private static BigInteger unscaled(Object value) {
    return value instanceof Binary bytes
        ? new BigInteger(bytes.getBytes())
        : BigInteger.valueOf(((Number) value).longValue());
  }

  private static ValueNode date(int day) {
    LocalDate date = LocalDate.ofEpochDay(day);
    return plainYear(date.getYear()) ? NODES.textNode(date.toString()) : null;
  }

  private static ValueNode millis(DeltaType type, long millis) {
    Instant instant = Instant.ofEpochMilli(millis);
    return plainYear(instant.atOffset(ZoneOffset.UTC).getYear())
        ? NODES.textNode(
            MILLIS.format(instant) + (type == DeltaType.Primitive.TIMESTAMP ? "Z" : ""))
        : null;
  }

  private static boolean plainYear(int year) {
    return year >= 1 && year <= 9999;
  }

  private static String text(Object value) {
    return new String(((Binary) value).getBytes(), StandardCharsets.UTF_8);
  }

  private static String prefix(String text) {
    return text.codePointCount(0, text.length()) <= TEXT_LIMIT
        ? text
        : text.substring(0, text.offsetByCodePoints(0, TEXT_LIMIT));
  }

  /** Returns {@code text}, or a short text that is greater than all that begin like it. */
  private static String successor(String text) {
    String prefix = prefix(text);
    if (prefix.length() == text.length()) {
      return text;
    }
    int[] points = prefix.codePoints().toArray();
    for (int i = points.length - 1; i >= 0; i--) {
      if (points[i] < Character.MAX_CODE_POINT) {
        int next = points[i] + 1;
        points[i] = next == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : next;
        return new String(points, 0, i + 1);
      }
    }
    return null;
  }
}
