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
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.lessThanOrEqualTo;

import dev.idem.io.file.FileRecorder;
import dev.idem.io.file.MemoryDirectory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a start costs does not grow with what was done before; counted, since times vary. */
class StartCostTest {

  @TempDir(factory = MemoryDirectory.class)
  private Path directory;

  private int operationsOfAStart(long done) throws IOException {
    String location = directory.resolve("after-" + done).toString();
    try (Checkpoint checkpoint = open(location)) {
      for (long batch = 0; batch < done; batch++) {
        Batches.run(checkpoint, batch);
      }
    }
    try (FileRecorder recorder = FileRecorder.under(Path.of(location))) {
      try (Checkpoint checkpoint = open(location)) {
        assertThat(checkpoint.state().lastCommitted(), is(OptionalLong.of(done - 1)));
        assertThat(checkpoint.plan(done - 1).orElseThrow().batch(), is(done - 1));
        Batches.run(checkpoint, done);
      }
      return recorder.operations().size();
    }
  }

  private static Checkpoint open(String location) throws IOException {
    return Checkpoint.open(
        location,
        Batches.APPLICATION,
        Batches.CLOCK,
        Batches.owner("host", "run"),
        Batches.watch());
  }

  @Test
  void startAfterTenThousandBatchesCostsWhatOneAfterTenDoes() throws IOException {
    double few = operationsOfAStart(10);

    assertThat((double) operationsOfAStart(10_000), lessThanOrEqualTo(1.2 * few));
  }
}
