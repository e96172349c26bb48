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
package dev.idem.io.delta.maintenance;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/** Sorts more records than its heap holds, and counts those that come in order. */
final class SortingProcess {

  static final int RECORDS = 1_000_000;

  private static final int VALUE_BYTES = 150;

  /** The bytes of all keys and values. */
  static final long BYTES = (long) RECORDS * (Integer.BYTES + VALUE_BYTES);

  private static final long MEMORY = 4 << 20;

  /** Without a common factor with the number of records, so every one comes once. */
  private static final long STEP = 7_654_321;

  private SortingProcess() {}

  public static void main(String[] arguments) throws IOException {
    int[] next = {0};
    try (ExternalSorter sorter = new ExternalSorter(Path.of(arguments[0]), MEMORY)) {
      for (long i = 0; i < RECORDS; i++) {
        int number = (int) (i * STEP % RECORDS);
        byte[] value = new byte[VALUE_BYTES];
        Arrays.fill(value, (byte) number);
        sorter.add(ByteBuffer.allocate(Integer.BYTES).putInt(number).array(), value);
      }
      sorter.drain(
          (key, value) -> {
            int number = ByteBuffer.wrap(key).getInt();
            if (number != next[0] || value[VALUE_BYTES - 1] != (byte) number) {
              throw new IllegalStateException(
                  "Record must be number " + next[0] + ", but was: " + number + ".");
            }
            next[0]++;
          });
    }
    System.out.println(next[0] + " records in order");
  }
}
