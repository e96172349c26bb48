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

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.greaterThan;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records come out in order, each once, however few of them fit into memory. */
class ExternalSorterTest {

  @TempDir Path directory;

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static List<String> drain(ExternalSorter sorter) throws IOException {
    List<String> records = new ArrayList<>();
    sorter.drain((key, value) -> records.add(new String(key, UTF_8) + new String(value, UTF_8)));
    return records;
  }

  private void sort(int records, long memory, int mostFiles) throws IOException {
    long seed = new Random().nextLong();
    System.out.println("Seed of " + records + " records in " + memory + " bytes: " + seed);
    Random random = new Random(seed);
    List<String> expected = new ArrayList<>();
    int files = 0;
    try (ExternalSorter sorter = new ExternalSorter(directory, memory)) {
      for (int i = 0; i < records; i++) {
        String key = String.format("%05d", random.nextInt(records));
        String value = "=" + i;
        expected.add(key + value);
        sorter.add(bytes(key), bytes(value));
        if (i % 100 == 0) {
          files = Math.max(files, files().size());
        }
      }
      List<String> sorted = drain(sorter);
      files = Math.max(files, files().size());

      assertThat(
          "seed " + seed,
          sorted.stream().map(record -> record.substring(0, 5)).toList(),
          is(expected.stream().map(record -> record.substring(0, 5)).sorted().toList()));
      assertThat(
          "seed " + seed,
          sorted.stream().sorted().toList(),
          is(expected.stream().sorted().toList()));
    }
    assertThat(files, lessThanOrEqualTo(mostFiles));
    assertThat(mostFiles == 0 || files > 0, is(true));
    assertThat(files(), is(empty()));
    assertThat(List.of(directory.toFile().list()), is(empty()));
  }

  @Test
  void recordsThatFitNeedNoFile() throws IOException {
    sort(1_000, 1 << 20, 0);
  }

  @Test
  void fewRunsAreMergedAtOnce() throws IOException {
    sort(1_000, 10_000, ExternalSorter.FAN_IN);
  }

  @Test
  void manyRunsAreMergedOverLevels() throws IOException {
    // Two records a run: 4,500 runs, which are more than the runs of a run of runs.
    sort(9_000, 200, 3 * ExternalSorter.FAN_IN);
  }

  @Test
  void recordsLargerThanTheMemoryAreSorted() throws IOException {
    try (ExternalSorter sorter = new ExternalSorter(directory, 10)) {
      for (String key : List.of("b", "c", "a")) {
        sorter.add(bytes(key), bytes(key.repeat(1_000)));
      }
      assertThat(
          drain(sorter), is(Stream.of("a", "b", "c").map(key -> key.repeat(1_001)).toList()));
    }
  }

  @Test
  void keysAreComparedWithoutSignAndThereMayBeNone() throws IOException {
    List<Integer> keys = new ArrayList<>();
    try (ExternalSorter sorter = new ExternalSorter(directory, 100);
        ExternalSorter none = new ExternalSorter(directory, 100)) {
      for (int key : List.of(200, 100, 255, 0, 128, 127)) {
        sorter.add(new byte[] {(byte) key}, new byte[0]);
      }
      sorter.drain((key, value) -> keys.add(key[0] & 0xFF));

      assertThat(drain(none), is(empty()));
    }
    assertThat(keys, is(List.of(0, 100, 127, 128, 200, 255)));
  }

  @Test
  void runThatIsGoneIsNamed() throws IOException {
    try (ExternalSorter sorter = new ExternalSorter(directory, 10)) {
      sorter.add(bytes("a"), bytes("a"));
      sorter.add(bytes("b"), bytes("b"));
      for (Path file : files()) {
        Files.delete(file);
      }

      IOException failure = assertThrows(IOException.class, () -> drain(sorter));

      assertThat(failure.getClass() == IOException.class, is(true));
      assertThat(
          failure.getMessage(),
          containsString("Directory to sort rows in must have room and be left alone, but was:"));
    }
  }

  @Test
  void recordsOfManyTimesTheHeapAreSorted() throws Exception {
    Path log = directory.resolve("sorting.log");
    Process process =
        new ProcessBuilder(
                System.getProperty("java.home") + "/bin/java",
                "-Xmx24m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                SortingProcess.class.getName(),
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      int exit = process.waitFor();
      assertThat(Files.readString(log), exit, is(0));
    } finally {
      process.destroyForcibly();
    }
    assertThat(SortingProcess.BYTES, greaterThan((6L * 24) << 20));
    assertThat(Files.readString(log).strip(), is(SortingProcess.RECORDS + " records in order"));
  }
}
