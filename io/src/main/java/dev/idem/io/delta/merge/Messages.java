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

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Base64;
import java.util.Optional;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** What the steps of a merge tell each other, as text. */
final class Messages {

  private static final JsonMapper JSON = new JsonMapper();

  private Messages() {}

  static String write(Object message) {
    try {
      return JSON.writeValueAsString(message);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(e);
    }
  }

  static <T> T read(String json, Class<T> type) {
    try {
      return JSON.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("Message of a merge must be JSON of its type.", e);
    }
  }

  static @Nullable String write(@Nullable Row row) {
    if (row == null) {
      return null;
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      RowCoder.of(row.getSchema()).encode(row, bytes);
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
    return Base64.getEncoder().encodeToString(bytes.toByteArray());
  }

  static @Nullable Row readRow(@Nullable String text, Schema schema) {
    if (text == null) {
      return null;
    }
    try {
      return RowCoder.of(schema).decode(new ByteArrayInputStream(Base64.getDecoder().decode(text)));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns how many nulls a file has in a column, 1 if its statistics do not say. */
  static long nullCount(@Nullable String statistics, String column) {
    try {
      return statistics == null || statistics.isEmpty()
          ? 1
          : JSON.readTree(statistics).path("nullCount").path(column).asLong(1);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Statistics must be JSON.", e);
    }
  }

  /** Returns the greatest value that a file has in a column, if its statistics tell. */
  static Optional<String> maximum(@Nullable String statistics, String column) {
    try {
      return statistics == null || statistics.isEmpty()
          ? Optional.empty()
          : Optional.ofNullable(
              JSON.readTree(statistics).path("maxValues").path(column).textValue());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Statistics must be JSON.", e);
    }
  }
}
