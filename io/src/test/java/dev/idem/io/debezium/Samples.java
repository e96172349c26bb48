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
package dev.idem.io.debezium;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Records in files, and what rows of them look like. */
public final class Samples {
  private Samples() {}

  /**
   * A record.
   *
   * @param key the key, null if it has none
   * @param value the value, null for a tombstone
   */
  @SuppressWarnings("ArrayRecordComponent") // Compared nowhere.
  public record Sample(byte @Nullable [] key, byte @Nullable [] value) {

    static Sample of(@Nullable String key, @Nullable String value) {
      return new Sample(bytes(key), bytes(value));
    }

    private static byte @Nullable [] bytes(@Nullable String text) {
      return text == null ? null : text.getBytes(StandardCharsets.UTF_8);
    }
  }

  /** Returns the records of a file, which has one a line: key, tab, value. */
  public static List<Sample> read(String file) {
    try (InputStream in = Samples.class.getResourceAsStream(file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8)
          .lines()
          .map(line -> line.split("\t", 2))
          .map(parts -> Sample.of(orNull(parts[0]), orNull(parts[1])))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static @Nullable String orNull(String text) {
    return text.equals("null") ? null : text;
  }

  static DebeziumTable infer(List<Sample> samples) {
    DebeziumInference inference = DebeziumInference.json();
    samples.forEach(sample -> inference.add(sample.key(), sample.value()));
    return inference.table();
  }

  /** Returns the columns of a row that are not null, bytes as hexadecimal text. */
  static Map<String, Object> columns(Row row) {
    Map<String, Object> columns = new LinkedHashMap<>();
    for (int i = 0; i < row.getFieldCount(); i++) {
      Object value = row.getValue(i);
      if (value != null) {
        columns.put(row.getSchema().getField(i).getName(), shown(value));
      }
    }
    return columns;
  }

  private static Object shown(Object value) {
    if (value instanceof byte[] bytes) {
      return "0x" + HexFormat.of().formatHex(bytes);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(each -> each == null ? "null" : shown(each)).toList();
    }
    return value instanceof Row row ? columns(row) : value;
  }

  /** Returns what a record became, each change as its columns. */
  static List<Map<String, Object>> changes(DebeziumDecoder decoder, Sample sample) {
    DecodedEvent decoded = decoder.decode(sample.key(), sample.value());
    if (decoded instanceof DecodedEvent.Changes changes) {
      return changes.rows().stream().map(Samples::columns).toList();
    }
    if (decoded instanceof DecodedEvent.Refused refused) {
      throw new AssertionError("Refused: " + refused);
    }
    return List.of();
  }

  /** Returns the only change of a record. */
  static Map<String, Object> change(DebeziumDecoder decoder, Sample sample) {
    return changes(decoder, sample).stream()
        .collect(Collectors.collectingAndThen(Collectors.toList(), Samples::only));
  }

  private static <T> T only(List<T> list) {
    if (list.size() != 1) {
      throw new AssertionError("One is expected, but was: " + list);
    }
    return list.get(0);
  }
}
