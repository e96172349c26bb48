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
package dev.idem.io.delta.kernel;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.is;

import dev.idem.io.file.DurableFiles;
import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import dev.idem.io.file.Storage;
import dev.idem.io.file.StoredFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names that follow are found without reading the directory, and it is read where they may not. */
class LogListingTest {

  @TempDir Path table;

  private Path log;
  private LogListing listing;
  private int reads;

  @BeforeEach
  void make() throws IOException {
    log = Files.createDirectories(table.resolve("_delta_log"));
    listing = new LogListing(Storage.at("Table path", table.toString(), Map.of()));
  }

  private static String version(int number) {
    return String.format("%020d", number);
  }

  private void entry(int number) throws IOException {
    write(version(number) + ".json", "entry");
  }

  private void checkpoint(int number) throws IOException {
    write(version(number) + ".checkpoint.parquet", "checkpoint");
  }

  private void write(String name, String content) throws IOException {
    Files.writeString(log.resolve(name), content);
  }

  /** Lists from a checkpoint on, shows names without most of their zeros, and counts reads. */
  private List<String> list(int from) throws IOException {
    return list(log, version(from) + ".");
  }

  private List<String> list(Path directory, String from) throws IOException {
    FileObserver observer =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) {
            reads += operation.kind() == FileOperation.Kind.LIST ? 1 : 0;
          }

          @Override
          public void after(FileOperation operation) {}
        };
    DurableFiles.Observation observation = DurableFiles.observe(directory, observer);
    try {
      return listing.list(directory + "/", from).stream()
          .map(StoredFile::name)
          .map(name -> name.replaceFirst("^0{18}", ""))
          .toList();
    } finally {
      observation.close();
    }
  }

  @Test
  void directoryIsReadOnceAndWhatFollowsIsFoundByItsNumber() throws IOException {
    entry(9);
    checkpoint(10);
    entry(10);
    entry(11);
    write("_last_checkpoint", "{}");
    write(version(11) + ".crc", "checksum");

    assertThat(list(10), contains("10.checkpoint.parquet", "10.json", "11.crc", "11.json"));
    entry(12);
    entry(13);
    checkpoint(13);
    assertThat(
        list(10),
        contains(
            "10.checkpoint.parquet",
            "10.json",
            "11.crc",
            "11.json",
            "12.json",
            "13.checkpoint.parquet",
            "13.json"));
    // From the next checkpoint on, whose checksum is written last.
    write(version(13) + ".crc", "checksum");
    entry(14);
    assertThat(list(13), contains("13.checkpoint.parquet", "13.crc", "13.json", "14.json"));

    assertThat(reads, is(1));
  }

  @Test
  void checkpointThatIsMadeOfAKnownEntryNeedsNoRead() throws IOException {
    checkpoint(10);
    entry(10);
    entry(11);
    list(10);
    checkpoint(11);

    assertThat(list(11), contains("11.checkpoint.parquet", "11.json"));
    assertThat(reads, is(1));
  }

  @Test
  void entriesBeforeThoseThatAreKnownAreRead() throws IOException {
    checkpoint(10);
    entry(10);
    checkpoint(20);
    entry(20);

    assertThat(list(20), contains("20.checkpoint.parquet", "20.json"));
    assertThat(
        list(10), contains("10.checkpoint.parquet", "10.json", "20.checkpoint.parquet", "20.json"));
    assertThat(reads, is(2));
  }

  @Test
  void logWithoutACheckpointOfOneFileIsReadEachTime() throws IOException {
    entry(0);
    assertThat(list(0), contains("00.json"));
    entry(1);
    write(version(1) + ".checkpoint.0000000001.0000000001.parquet", "checkpoint");
    assertThat(list(1), contains("01.checkpoint.0000000001.0000000001.parquet", "01.json"));
    assertThat(reads, is(2));
  }

  @Test
  void otherTableUnderThePathIsRead() throws IOException {
    checkpoint(10);
    entry(10);
    entry(11);
    list(10);
    Files.delete(log.resolve(version(10) + ".json"));
    write(version(10) + ".checkpoint.parquet", "another");

    assertThat(list(10), contains("10.checkpoint.parquet", "11.json"));
    assertThat(reads, is(2));
    Files.delete(log.resolve(version(10) + ".checkpoint.parquet"));
    assertThat(list(10), contains("11.json"));
    assertThat(reads, is(3));
  }

  @Test
  void olderCopyInPlaceOfTheLogIsRead() throws IOException {
    checkpoint(10);
    entry(10);
    entry(11);
    entry(12);
    list(10);
    Files.delete(log.resolve(version(12) + ".json"));
    Files.delete(log.resolve(version(11) + ".json"));

    assertThat(list(10), contains("10.checkpoint.parquet", "10.json"));
    entry(11);
    list(10);
    Files.setLastModifiedTime(log.resolve(version(11) + ".json"), FileTime.fromMillis(1));
    assertThat(list(10), contains("10.checkpoint.parquet", "10.json", "11.json"));
    assertThat(reads, is(3));
  }

  @Test
  void otherDirectoriesAreReadEachTime() throws IOException {
    checkpoint(10);
    entry(10);
    Path other = Files.createDirectories(table.resolve("other"));
    Path second = Files.createDirectories(table.resolve("copy/_delta_log"));
    Files.writeString(other.resolve(version(10) + ".json"), "entry");
    Files.writeString(second.resolve(version(10) + ".checkpoint.parquet"), "checkpoint");

    list(10);
    assertThat(list(other, version(10) + "."), contains("10.json"));
    assertThat(list(second, version(10) + "."), contains("10.checkpoint.parquet"));
    assertThat(list(log, "_last_checkpoint"), is(List.of()));
    assertThat(list(10), contains("10.checkpoint.parquet", "10.json"));
    assertThat(reads, is(5));
  }
}
