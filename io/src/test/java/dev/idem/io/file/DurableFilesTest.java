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
package dev.idem.io.file;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DurableFilesTest {

  private static final byte[] WHOLE = "a whole entry".getBytes(StandardCharsets.UTF_8);

  @TempDir Path root;

  @Test
  void publicationForcesTheFileBeforeItsNameAndTheNameBeforeItReturns() throws IOException {
    Path target = root.resolve("entry");

    List<String> lines;
    try (FileRecorder recorder = FileRecorder.under(root)) {
      assertThat(DurableFiles.putIfAbsent(target, WHOLE), is(true));
      lines = recorder.lines();
    }

    assertThat(
        lines,
        contains(
            "OPEN tmp",
            "WRITE tmp",
            "FORCE_FILE tmp",
            "LINK entry tmp",
            "FORCE_DIRECTORY ",
            "DELETE tmp"));
    assertThat(Files.readAllBytes(target), is(WHOLE));
    assertThat(DurableFiles.list(root), contains("entry"));
  }

  @Covers.Row(50)
  @Test
  void takenNameIsLeftAsItIs() throws IOException {
    Path target = root.resolve("entry");
    DurableFiles.putIfAbsent(target, WHOLE);

    boolean published = DurableFiles.putIfAbsent(target, new byte[] {1});

    assertThat(published, is(false));
    assertThat(Files.readAllBytes(target), is(WHOLE));
    assertThat(DurableFiles.list(root), contains("entry"));
  }

  @Test
  void crashAtAnyStepLeavesNoneOrAWholeFile() throws IOException {
    List<String> outcomes = new ArrayList<>();
    for (boolean powerLoss : new boolean[] {false, true}) {
      for (int step = 0; step < 6; step++) {
        for (boolean after : new boolean[] {false, true}) {
          Path directory = Files.createDirectory(root.resolve(powerLoss + "-" + step + after));
          Path target = directory.resolve("entry");
          try (FileRecorder recorder = FileRecorder.under(directory)) {
            var unused = after ? recorder.crashAfter(step) : recorder.crashBefore(step);
            assertThrows(SimulatedCrash.class, () -> DurableFiles.putIfAbsent(target, WHOLE));
            if (powerLoss) {
              recorder.losePower();
            }
          }
          if (Files.exists(target)) {
            assertThat(Files.readAllBytes(target), is(WHOLE));
          }
          outcomes.add(Files.exists(target) ? "whole" : "none");
        }
      }
    }

    String killed = "none none none none none none none whole whole whole whole whole";
    String unplugged = "none none none none none none none none none whole whole whole";
    assertThat(String.join(" ", outcomes), is(killed + " " + unplugged));
  }

  @Test
  void crashAtAnyStepOfAReplacementLeavesTheOldOrTheNewFile() throws IOException {
    byte[] old = {7};
    for (boolean powerLoss : new boolean[] {false, true}) {
      for (int step = 0; step < 5; step++) {
        Path directory = Files.createDirectory(root.resolve(powerLoss + "-" + step));
        Path target = directory.resolve("entry");
        DurableFiles.putIfAbsent(target, old);
        try (FileRecorder recorder = FileRecorder.under(directory).crashAfter(step)) {
          assertThrows(SimulatedCrash.class, () -> DurableFiles.replace(target, WHOLE));
          if (powerLoss) {
            recorder.losePower();
          }
        }
        int visible = powerLoss ? 4 : 3;
        assertThat(Files.readAllBytes(target), is(step >= visible ? WHOLE : old));
      }
    }
  }

  @Test
  void failedPublicationKeepsItsCauseAndLeavesNothing() throws IOException {
    FileObserver fullDisk =
        new FileObserver() {
          @Override
          public void before(FileOperation operation) throws IOException {
            if (operation.kind() == FileOperation.Kind.FORCE_FILE) {
              throw new IOException("disk full");
            }
          }

          @Override
          public void after(FileOperation operation) {
            /* Only failures matter here. */
          }
        };

    IOException e;
    try (var unused = DurableFiles.observe(root, fullDisk)) {
      e =
          assertThrows(
              IOException.class, () -> DurableFiles.putIfAbsent(root.resolve("entry"), WHOLE));
      assertThat(unused == null, is(false));
    }

    assertThat(e.getMessage(), is("disk full"));
    assertThat(DurableFiles.list(root), is(empty()));
  }

  @Test
  void powerLossEmptiesUnforcedFilesAndForgetsUnforcedNames() throws IOException {
    try (FileRecorder recorder = FileRecorder.under(root)) {
      write("unforced", WHOLE);
      DurableFiles.forceDirectory(root);
      write("unnamed", WHOLE);
      DurableFiles.forceFile(root.resolve("unnamed"));
      recorder.losePower();
    }

    assertThat(DurableFiles.list(root), contains("unforced"));
    assertThat(Files.readAllBytes(root.resolve("unforced")), is(new byte[0]));
  }

  @Test
  void powerLossBringsUnforcedDeletionsBackAndKeepsWhatWasThere() throws IOException {
    write("before", WHOLE);
    try (FileRecorder recorder = FileRecorder.under(root)) {
      DurableFiles.delete(root.resolve("before"));
      write("after", new byte[] {1});
      DurableFiles.forceFile(root.resolve("after"));
      recorder.losePower();
    }

    assertThat(DurableFiles.list(root), contains("before"));
    assertThat(Files.readAllBytes(root.resolve("before")), is(WHOLE));
  }

  @Test
  void createdDirectoriesSurviveAPowerLoss() throws IOException {
    Path deep = root.resolve("a/b/c");

    try (FileRecorder recorder = FileRecorder.under(root)) {
      DurableFiles.createDirectories(deep);
      recorder.losePower();
    }

    assertThat(Files.isDirectory(deep), is(true));
  }

  @Test
  void observersSeeTheirOwnDirectoryOnly() throws IOException {
    Path mine = Files.createDirectory(root.resolve("mine"));
    Path other = Files.createDirectory(root.resolve("other"));

    List<String> lines;
    try (FileRecorder recorder = FileRecorder.under(mine)) {
      DurableFiles.read(Files.write(other.resolve("x"), WHOLE));
      DurableFiles.list(mine);
      lines = recorder.lines();
    }
    DurableFiles.list(mine);

    assertThat(lines, contains("LIST "));
  }

  @Test
  void localPathsAndFileUrisAreTheSamePlace() {
    for (String location : List.of("/data/a b", "file:/data/a%20b", "file:///data/./a%20b")) {
      assertThat(Location.local("Table", location), is(Optional.of(Path.of("/data/a b"))));
    }
    assertThat(Location.local("Table", "t"), is(Optional.of(Path.of("t").toAbsolutePath())));
    assertThat(Location.local("Table", "s3a://b/t"), is(Optional.empty()));
  }

  @Test
  void otherPlacesAreRefusedByName() {
    for (String location :
        List.of("s3://b/t", "file://host/t", "file:", "file:t", " ", "file:// /")) {
      var e =
          assertThrows(
              IllegalArgumentException.class, () -> Location.local("Checkpoint", location));
      assertThat(
          e.getMessage(),
          containsString("Checkpoint must be a local path or a file: URI, or a directory of"));
      assertThat(e.getMessage(), containsString("but was: \"" + location + "\"."));
    }
  }

  private void write(String name, byte[] bytes) throws IOException {
    try (OutputStream stream = DurableFiles.create(root.resolve(name))) {
      stream.write(bytes);
    }
  }
}
