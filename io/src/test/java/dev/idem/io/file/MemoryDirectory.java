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

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDirFactory;

/**
 * Temporary directories in memory where the machine has such a file system: for tests in which
 * {@link FileRecorder} decides what a force keeps, so that thousands of real ones would only cost
 * time.
 */
public final class MemoryDirectory implements TempDirFactory {

  private static final Path SHARED_MEMORY = Path.of("/dev/shm");
  private static final long ENOUGH = 32L << 20;

  @Override
  public Path createTempDirectory(AnnotatedElementContext element, ExtensionContext context)
      throws IOException {
    if (Files.isDirectory(SHARED_MEMORY) && Files.isWritable(SHARED_MEMORY)) {
      FileStore store = Files.getFileStore(SHARED_MEMORY);
      if (store.getUsableSpace() > ENOUGH) {
        return Files.createTempDirectory(SHARED_MEMORY, "junit-");
      }
    }
    return Files.createTempDirectory("junit-");
  }
}
