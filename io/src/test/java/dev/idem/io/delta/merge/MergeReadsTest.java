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

import static dev.idem.io.delta.merge.Merging.upsert;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.transforms.changes.ApplyChanges;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.hadoop.ParquetFileReader;
import org.apache.parquet.hadoop.metadata.BlockMetaData;
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData;
import org.apache.parquet.io.LocalInputFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a merge reads of a table; whatever it must not read is destroyed before. */
class MergeReadsTest {

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void fileWhoseBoundsExcludeTheKeysIsNotRead(MergeMode mode) throws IOException {
    Merging table = Merging.into(directory.resolve("t"), Merging.rules()).with(mode);
    table.run(0, List.of(upsert(1, "one", 1), upsert(5, "five", 1)));
    List<String> low = table.dataFiles();
    table.run(1, List.of(upsert(6, "six", 1), upsert(9, "nine", 1)));
    low.forEach(file -> destroy(Path.of(file)));

    table.run(2, List.of(upsert(0, "zero", 2), upsert(6, "new", 2), upsert(9, "old", 0)));

    low.forEach(file -> restore(Path.of(file)));
    assertThat(
        table.rows("id", "value"),
        contains("[0, zero]", "[1, one]", "[5, five]", "[6, new]", "[9, nine]"));
    low.forEach(file -> destroy(Path.of(file)));
    assertThrows(RuntimeException.class, () -> table.run(3, List.of(upsert(4, "four", 2))));
  }

  /** The bounds of the other key would not tell the files apart. */
  @ParameterizedTest
  @EnumSource(
      value = MergeMode.class,
      names = {"MERGE_ON_READ", "COPY_ON_WRITE"})
  void fileOfAPartitionThatExcludesTheKeysIsNotRead(MergeMode mode) throws IOException {
    ApplyChanges rules =
        ApplyChanges.keys("value", "id").sequenceBy("seq").columns("id", "value", "other");
    Merging table =
        Merging.into(directory.resolve("t"), rules)
            .with(mode)
            .with(merge -> merge.withPartitionColumns("value"));
    table.run(0, List.of(upsert(1, "north", 1), upsert(5, "north", 1)));
    List<String> north = table.dataFiles();
    table.run(1, List.of(upsert(1, "south", 1), upsert(5, "south", 1)));
    north.forEach(file -> destroy(Path.of(file)));

    table.run(2, List.of(upsert(1, "south", 7L, 2), upsert(3, "south", 2)));

    north.forEach(file -> restore(Path.of(file)));
    assertThat(
        table.rows("id", "value", "other"),
        contains(
            "[1, north, null]",
            "[1, south, 7]",
            "[3, south, null]",
            "[5, north, null]",
            "[5, south, null]"));
    north.forEach(file -> destroy(Path.of(file)));
    assertThrows(RuntimeException.class, () -> table.run(3, List.of(upsert(4, "north", 2))));
  }

  @Test
  void onlyKeyAndSequenceAreReadUnlessAChangeHasTheSequenceOfTheRow() throws IOException {
    Merging table =
        Merging.into(directory.resolve("t"), Merging.rules()).with(MergeMode.MERGE_ON_READ);
    table.run(0, List.of(upsert(1, "one", 10), upsert(2, "two", 10), upsert(3, "three", 10)));
    assertThat(table.dataFiles(), hasSize(1));
    Path file = Path.of(table.dataFiles().get(0));
    destroyColumns(file, "value", "other");

    MergeOutcome outcome =
        table.run(1, List.of(upsert(1, "new", 11), upsert(2, "old", 9), Merging.delete(3, 11)));

    assertThat(outcome.counts(), equalTo(new MergeCounts(1, 1, 1, 0, 0, 0)));
    assertThat(table.rows("id", "_idem_sequence"), contains("[1, 11]", "[2, 10]"));
    assertThrows(RuntimeException.class, () -> table.run(2, List.of(upsert(2, "tie", 10))));
    restore(file);
    table.run(2, List.of(upsert(2, "tie", 10)));
    assertThat(table.rows("id", "value"), contains("[1, new]", "[2, two]"));
  }

  private static Path saved(Path file) {
    return file.resolveSibling("_" + file.getFileName());
  }

  private static void destroy(Path file) {
    try {
      Files.copy(file, saved(file));
      Files.write(file, new byte[(int) Files.size(file)]);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void restore(Path file) {
    try {
      Files.move(saved(file), file, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void destroyColumns(Path file, String... columns) throws IOException {
    Files.copy(file, saved(file));
    List<ColumnChunkMetaData> chunks = new ArrayList<>();
    try (ParquetFileReader reader = ParquetFileReader.open(new LocalInputFile(file))) {
      for (BlockMetaData block : reader.getFooter().getBlocks()) {
        for (ColumnChunkMetaData chunk : block.getColumns()) {
          if (List.of(columns).contains(chunk.getPath().toDotString())) {
            chunks.add(chunk);
          }
        }
      }
    }
    assertThat(chunks, hasSize(columns.length));
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      for (ColumnChunkMetaData chunk : chunks) {
        channel.write(ByteBuffer.allocate((int) chunk.getTotalSize()), chunk.getStartingPos());
      }
    }
  }
}
