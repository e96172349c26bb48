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
package dev.idem.io.delta.table;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commits on a disk that fails; {@link FaultSchedulesChaosIT} runs more of the same. */
class FaultSchedulesIT {

  @TempDir private Path directory;

  @Test
  void everyScheduleEndsInTheExactTable() throws IOException {
    new FaultSchedules(directory).assertAllEndExact(new Random().nextLong(), 200, 20);
  }
}
