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

/**
 * Sees every operation of {@link DurableFiles} under one directory, from the thread that does it; a
 * test aid.
 *
 * <p>Whatever it throws goes to the caller of the operation, so an observer can stand for a disk
 * that fails or for a machine that dies at this point.
 */
public interface FileObserver {

  /** Called before the operation; throwing prevents it. */
  void before(FileOperation operation) throws IOException;

  /** Called after the operation succeeded. */
  void after(FileOperation operation) throws IOException;
}
