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
package dev.idem.it;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import org.apache.beam.sdk.values.Row;

/** What a dead-letter table says of one record. */
record DeadLetter(String reason, String column, String key, String value, long offset, long batch) {

  static List<DeadLetter> of(EventJob job) {
    return job.deadLetterRows().stream().map(DeadLetter::of).toList();
  }

  private static DeadLetter of(Row row) {
    return new DeadLetter(
        row.getString("reason"),
        row.getString("column"),
        text(row.getBytes("key")),
        text(row.getBytes("value")),
        row.getInt64("offset"),
        row.getInt64("batch"));
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, UTF_8);
  }
}
