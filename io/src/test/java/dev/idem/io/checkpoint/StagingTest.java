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
package dev.idem.io.checkpoint;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.contains;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.file.DurableFiles;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StagingTest {

  @TempDir Path root;

  @Test
  void firstAttemptOfARunStays() throws IOException {
    Staging staging = new Staging(root.toString());

    assertThat(staging.publish(7, "run-1", "[\"größe\"]"), is(true));
    assertThat(staging.publish(7, "run-1", "[]"), is(false));
    assertThat(staging.publish(7, "run-2", "[]"), is(true));

    assertThat(staging.read(7, "run-1"), is(Optional.of("[\"größe\"]")));
    assertThat(staging.read(7, "run-2"), is(Optional.of("[]")));
    assertThat(staging.read(8, "run-1"), is(Optional.empty()));
  }

  @Test
  void clearedBatchIsGoneWithItsLeftoversAndOthersStay() throws IOException {
    Staging staging = new Staging(root.toString());
    staging.publish(7, "run-1", "[]");
    staging.publish(77, "run-1", "[]");
    Files.write(root.resolve("staging/.7-run-2-x.tmp"), new byte[] {1});

    staging.clear(7);

    assertThat(DurableFiles.list(root.resolve("staging")), contains("77-run-1"));
  }

  @Test
  void copyOnAWorkerIsTheSamePlace() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (ObjectOutputStream stream = new ObjectOutputStream(bytes)) {
      stream.writeObject(new Staging("file:" + root));
    }
    ObjectInputStream stream = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()));
    Staging copy = (Staging) stream.readObject();

    copy.publish(7, "run-1", "[]");

    assertThat(new Staging(root.toString()).read(7, "run-1"), is(Optional.of("[]")));
  }

  @Test
  void runsThatAreNoFileNamesAreRefused() {
    Staging staging = new Staging(root.toString());

    assertThrows(IllegalArgumentException.class, () -> staging.publish(7, "../x", "[]"));
    assertThrows(IllegalArgumentException.class, () -> staging.read(7, ""));
  }
}
