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

import static dev.idem.io.delta.table.Tables.actions;
import static dev.idem.io.delta.table.Tables.names;
import static dev.idem.io.delta.table.Tables.table;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.instanceOf;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.delta.table.Tables;
import dev.idem.io.file.FileRecorder;
import dev.idem.io.file.Storage;
import io.delta.kernel.defaults.engine.DefaultEngine;
import io.delta.kernel.engine.Engine;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.deletionvectors.Base85Codec;
import io.delta.kernel.internal.deletionvectors.DeletionVectorStoredBitmap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that are deleted stay out, however often, by whomever, and whatever is already deleted. */
class RowDeletionTest {

  private static final String SINK = "orders/main";
  private static final String ENABLED = "delta.enableDeletionVectors";
  private static final JsonMapper JSON = new JsonMapper();

  @TempDir Path directory;

  private long batch;

  /** Commits one file, with a row for each name. */
  private void append(String... names) throws IOException {
    table(directory)
        .commit(
            Tables.commit(directory, SINK, batch++, names)
                .withTableProperties(Map.of(ENABLED, "true")));
  }

  private KernelSnapshot snapshot() {
    return RowDeletions.snapshot(directory);
  }

  private long delete(String... names) throws IOException {
    return RowDeletions.delete(directory, "name", List.of(names)::contains);
  }

  private List<Path> vectors() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".bin")).sorted().toList();
    }
  }

  private JsonNode action(long version, String action) throws IOException {
    List<JsonNode> found = actions(directory, version, action);
    assertThat(found, hasSize(1));
    return found.get(0);
  }

  @Test
  void rowsThatAreDeletedLaterJoinThoseThatWereDeletedBefore() throws IOException {
    append("a", "b", "c", "d");
    append("e", "f");

    long first = delete("b", "e");
    assertThat(names(directory), contains("a", "c", "d", "f"));
    long second = delete("d");
    assertThat(names(directory), contains("a", "c", "f"));

    assertThat(vectors(), hasSize(2));
    assertThat(actions(directory, first, "add"), hasSize(2));
    assertThat(actions(directory, first, "remove"), hasSize(2));
    JsonNode remove = action(second, "remove");
    JsonNode add = action(second, "add");
    assertThat(remove.get("path"), is(add.get("path")));
    assertThat(remove.get("dataChange").asBoolean(), is(true));
    assertThat(add.get("dataChange").asBoolean(), is(true));
    assertThat(remove.at("/deletionVector/cardinality").asInt(), is(1));
    assertThat(add.at("/deletionVector/cardinality").asInt(), is(2));
    assertThat(add.at("/deletionVector/storageType").asText(), is("u"));
    assertThat(
        actions(directory, first, "add").toString(),
        containsString(remove.get("deletionVector").toString()));
  }

  @Test
  void statisticsStayAndTheirBoundsAreNoLongerTight() throws IOException {
    append("a", "b", "c");
    ObjectNode before = (ObjectNode) JSON.readTree(action(1, "add").get("stats").asText());

    long version = delete("a");

    assertThat(
        JSON.readTree(action(version, "add").get("stats").asText()),
        is(before.put("tightBounds", false)));
  }

  @Test
  void fileWithoutARowLeftIsRemoved() throws IOException {
    append("a", "b", "c");
    append("d");

    assertThat(actions(directory, delete("a", "d"), "add"), hasSize(1));
    assertThat(vectors(), hasSize(1));
    long version = delete("b", "c");

    assertThat(actions(directory, version, "add"), is(empty()));
    assertThat(action(version, "remove").at("/deletionVector/cardinality").asInt(), is(1));
    assertThat(vectors(), hasSize(1));
    assertThat(snapshot().files(), is(empty()));
  }

  @Test
  void whatIsDeletedAlreadyIsNoChange() throws IOException {
    append("a", "b", "c");
    KernelSnapshot first = snapshot();
    assertThat(first.deleteRows(Map.of(first.files().get(0), new long[] {1, 1, 1})), hasSize(2));
    delete("b");
    List<Path> before = vectors();
    KernelSnapshot second = snapshot();

    assertThat(second.deleteRows(Map.of()), is(empty()));
    assertThat(second.deleteRows(Map.of(second.files().get(0), new long[0])), is(empty()));
    assertThat(second.deleteRows(Map.of(second.files().get(0), new long[] {1, 1})), is(empty()));
    assertThat(vectors(), is(before));
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, 3, 1L << 32})
  void positionThatAFileDoesNotHaveIsRefused(long position) throws IOException {
    append("a", "b", "c");
    KernelSnapshot snapshot = snapshot();
    KernelFile file = snapshot.files().get(0);

    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> snapshot.deleteRows(Map.of(file, new long[] {0, position})));

    assertThat(
        refused.getMessage(),
        is(
            "Position of a row must be from 0 to 2 in file \"%s\" of table \"%s\", but was: %d."
                .formatted(file.path(), directory, position)));
    assertThat(vectors(), is(empty()));
  }

  @Test
  void tableThatDoesNotTakeDeletionVectorsIsRefused() throws IOException {
    table(directory).commit(Tables.commit(directory, SINK, 0, "a", "b"));
    KernelSnapshot plain = snapshot();
    ObjectNode switchedOff = (ObjectNode) actions(directory, 0, "metaData").get(0);
    switchedOff.withObject("/configuration").put(ENABLED, "false");
    Files.writeString(
        Tables.entry(directory, 2),
        "{\"protocol\":{\"minReaderVersion\":3,\"minWriterVersion\":7,\"readerFeatures\":"
            + "[\"deletionVectors\"],\"writerFeatures\":[\"deletionVectors\"]}}\n"
            + JSON.createObjectNode().set("metaData", switchedOff));
    KernelSnapshot off = snapshot();

    for (KernelSnapshot snapshot : List.of(plain, off)) {
      assertThat(snapshot.takesDeletionVectors(), is(false));
      var refused =
          assertThrows(
              IllegalStateException.class,
              () -> snapshot.deleteRows(Map.of(snapshot.files().get(0), new long[] {0})));
      assertThat(refused.getMessage(), containsString("but was: \"" + directory + "\""));
    }
    assertThat(vectors(), is(empty()));
  }

  /** Replaces what the last version says of its one added file. */
  private void changeAdded(Consumer<ObjectNode> change) throws IOException {
    Path entry = Tables.entry(directory, snapshot().version());
    List<String> lines = new ArrayList<>();
    for (String line : Files.readAllLines(entry)) {
      JsonNode action = JSON.readTree(line);
      if (action.has("add")) {
        change.accept((ObjectNode) action.get("add"));
      }
      lines.add(action.toString());
    }
    Files.write(entry, lines);
  }

  private static void put(ObjectNode add, DeletionVectorDescriptor vector) {
    ObjectNode node =
        add.putObject("deletionVector")
            .put("storageType", vector.getStorageType())
            .put("pathOrInlineDv", vector.getPathOrInlineDv())
            .put("sizeInBytes", vector.getSizeInBytes())
            .put("cardinality", vector.getCardinality());
    vector.getOffset().ifPresent(offset -> node.put("offset", offset));
  }

  private static DeletedRows rows(long... positions) {
    DeletedRows rows = new DeletedRows();
    rows.add(positions);
    return rows;
  }

  /** Writes a vector beside another one, and says by which path it is found. */
  private DeletionVectorDescriptor elsewhere(String type, String place, long... positions)
      throws IOException {
    Path there = Files.createDirectories(directory.resolve(place));
    DeletionVectorFile file = new DeletionVectorFile();
    var unused = file.add(rows(7, 8, 9));
    DeletionVectorDescriptor vector = file.add(rows(positions));
    assertThat(unused.getOffset(), not(vector.getOffset()));
    file.publish(Storage.at("Table path", there.toString(), Map.of()));
    String uuid = vector.getPathOrInlineDv();
    String name = "deletion_vector_" + Base85Codec.decodeUUID(uuid) + ".bin";
    return new DeletionVectorDescriptor(
        type,
        type.equals("u") ? place + uuid : there.resolve(name).toUri().toString(),
        vector.getOffset(),
        vector.getSizeInBytes(),
        vector.getCardinality());
  }

  @ParameterizedTest
  @ValueSource(strings = {"i", "p", "u"})
  void vectorsOfOtherWritersAreTakenOver(String type) throws IOException {
    append("a", "b", "c", "d");
    byte[] inline = rows(1).serialize();
    DeletionVectorDescriptor vector =
        type.equals("i")
            ? new DeletionVectorDescriptor(
                "i", Base85Codec.encodeBytes(inline), Optional.empty(), inline.length, 1)
            : elsewhere(type, "ab", 1);
    changeAdded(add -> put(add, vector));
    assertThat(names(directory), contains("a", "c", "d"));

    long version = delete("d");

    assertThat(names(directory), contains("a", "c"));
    assertThat(action(version, "remove").at("/deletionVector/storageType").asText(), is(type));
    assertThat(action(version, "add").at("/deletionVector/cardinality").asInt(), is(2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{}", "{\"nullCount\":{\"name\":0}}"})
  void rowsOfAFileWithoutStatisticsAreCounted(String stats) throws IOException {
    append("a", "b", "c", "d");
    changeAdded(
        add -> {
          put(add, vectorOf(rows(1)));
          add.remove("stats");
          if (!stats.isEmpty()) {
            add.put("stats", stats);
          }
        });

    long version = delete("d");

    JsonNode counted = JSON.readTree(action(version, "add").get("stats").asText());
    assertThat(counted.get("numRecords").asInt(), is(4));
    assertThat(counted.get("tightBounds").asBoolean(), is(false));
    assertThat(counted.has("nullCount"), is(stats.contains("nullCount")));
    assertThat(actions(directory, delete("a", "c"), "add"), is(empty()));
  }

  private static DeletionVectorDescriptor vectorOf(DeletedRows rows) {
    byte[] bytes = rows.serialize();
    return new DeletionVectorDescriptor(
        "i", Base85Codec.encodeBytes(bytes), Optional.empty(), bytes.length, rows.count());
  }

  @Test
  void boundsTagsAndRowIdsStayAsTheyAre() throws IOException {
    append("a", "b", "c");
    String stats =
        "{\"numRecords\":3,\"minValues\":{\"d\":1.50,\"e\":1E-7,\"x\":12345678901234567890.123456789"
            + ",\"id\":-9007199254740993},\"maxValues\":{},\"nullCount\":{},\"tightBounds\":true}";
    changeAdded(
        add ->
            add.put("stats", stats)
                .put("baseRowId", 100)
                .put("defaultRowCommitVersion", 1)
                .putObject("tags")
                .put("INSERTION_TIME", "7"));

    long version = delete("b");

    for (String kind : List.of("remove", "add")) {
      JsonNode action = action(version, kind);
      assertThat(action.get("baseRowId").asInt(), is(100));
      assertThat(action.get("defaultRowCommitVersion").asInt(), is(1));
      assertThat(action.get("tags").toString(), is("{\"INSERTION_TIME\":\"7\"}"));
    }
    assertThat(action(version, "add").get("stats").asText(), is(stats.replace("true", "false")));
  }

  @Test
  void vectorsSurviveAPowerLossOnceTheyAreInTheActions() throws IOException {
    append("a", "b", "c");
    KernelSnapshot snapshot = snapshot();

    List<KernelCommit.Action> actions;
    try (FileRecorder recorder = FileRecorder.under(directory)) {
      actions = snapshot.deleteRows(Map.of(snapshot.files().get(0), new long[] {1}));
      recorder.losePower();
    }

    RowDeletions.commit(snapshot, actions);
    assertThat(names(directory), contains("a", "c"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gone", "damaged", "cut off"})
  void vectorThatCannotBeReadIsAnError(String damage) throws IOException {
    append("a", "b", "c");
    delete("b");
    Path vector = vectors().get(0);
    byte[] bytes = Files.readAllBytes(vector);
    if (damage.equals("gone")) {
      Files.delete(vector);
    } else {
      bytes[bytes.length - 1]++;
      Files.write(
          vector, damage.equals("damaged") ? bytes : Arrays.copyOf(bytes, bytes.length - 5));
    }

    KernelSnapshot snapshot = snapshot();
    KernelFile file = snapshot.files().get(0);
    var unread =
        assertThrows(IOException.class, () -> snapshot.scan(List.of("name")).read(file, row -> {}));
    var unchanged =
        assertThrows(IOException.class, () -> snapshot.deleteRows(Map.of(file, new long[] {0})));

    if (damage.equals("gone")) {
      assertThat(unread, instanceOf(NoSuchFileException.class));
      assertThat(unread.getMessage(), is(vector.toString()));
    } else {
      assertThat(unread.getMessage(), containsString(file.path() + "\" with DeletionVector"));
    }
    assertThat(unchanged.getMessage(), containsString("file \"" + file.path() + "\""));
  }

  @Test
  void checkpointIsMadeOfFilesWithVectorsAndWithout() throws IOException {
    append("a", "b");
    delete("a");
    for (int file = 3; file <= 10; file++) {
      append("c" + file);
    }

    for (String name : List.of("%020d.checkpoint.parquet", "%020d.crc")) {
      assertThat(
          Files.exists(directory.resolve("_delta_log").resolve(name.formatted(10))), is(true));
    }
    assertThat(names(directory), contains("b", "c10", "c3", "c4", "c5", "c6", "c7", "c8", "c9"));
  }

  @Test
  void everyPositionIsReadAsItWasWritten() throws IOException {
    long seed = System.nanoTime();
    System.out.println("everyPositionIsReadAsItWasWritten seed " + seed);
    Random random = new Random(seed);
    Engine engine = DefaultEngine.create(new Configuration(false));
    DeletionVectorFile file = new DeletionVectorFile();
    Map<DeletionVectorDescriptor, Set<Long>> written = new HashMap<>();
    for (int vector = 0; vector < 50; vector++) {
      Set<Long> positions = new TreeSet<>();
      DeletedRows rows = new DeletedRows();
      for (int run = random.nextInt(8); run >= 0; run--) {
        long first = random.nextLong(1L << (8 + random.nextInt(27)));
        long step = random.nextLong(1, 4);
        for (int i = random.nextInt(3000); i >= 0; i--) {
          positions.add(first + i * step);
          rows.add(first + i * step);
        }
      }
      positions.add((1L << 32) - 1);
      rows.add((1L << 32) - 1);
      assertThat(rows.count(), is((long) positions.size()));
      written.put(file.add(rows), positions);
    }
    file.publish(Storage.at("Table path", directory.toString(), Map.of()));

    for (Map.Entry<DeletionVectorDescriptor, Set<Long>> entry : written.entrySet()) {
      long[] read =
          new DeletionVectorStoredBitmap(entry.getKey(), Optional.of(directory.toString()))
              .load(engine.getFileSystemClient())
              .toArray();
      assertThat(Arrays.stream(read).boxed().toList(), is(List.copyOf(entry.getValue())));
      assertThat(entry.getKey().getCardinality(), is((long) read.length));
    }
  }

  @Test
  void randomDeletionsThroughCheckpointsLeaveWhatASetLeaves() throws IOException {
    long seed = System.nanoTime();
    System.out.println("randomDeletionsThroughCheckpoints seed " + seed);
    Random random = new Random(seed);
    TreeSet<String> left = new TreeSet<>();
    for (int round = 0; round < 15; round++) {
      String[] names = new String[1 + random.nextInt(40)];
      for (int i = 0; i < names.length; i++) {
        names[i] = round + "-" + i;
      }
      append(names);
      left.addAll(List.of(names));
      int share = 1 + random.nextInt(5);
      Set<String> gone = new TreeSet<>();
      left.stream().filter(name -> random.nextInt(6) < share).forEach(gone::add);

      RowDeletions.delete(directory, "name", gone::contains);

      left.removeAll(gone);
      assertThat(names(directory), is(List.copyOf(left)));
    }
    assertThat(
        Files.exists(directory.resolve("_delta_log/%020d.checkpoint.parquet".formatted(30))),
        is(true));
  }
}
