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
package dev.idem.pipelines.job;

import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/** Work that goes on beside the caller's own. */
final class Beside<T> {

  private final FutureTask<T> task;
  private final Thread thread;

  private Beside(String name, Callable<T> work) {
    task = new FutureTask<>(work);
    thread = new Thread(task, name);
    thread.setDaemon(true);
  }

  static <T> Beside<T> start(String name, Callable<T> work) {
    Beside<T> beside = new Beside<>(name, work);
    beside.thread.start();
    return beside;
  }

  /** Waits for the result; throws what the work threw. */
  T result() throws IOException, InterruptedException {
    try {
      return task.get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failed) {
        throw failed;
      }
      if (e.getCause() instanceof RuntimeException failed) {
        throw failed;
      }
      throw new IllegalStateException(thread.getName() + " must not fail.", e.getCause());
    }
  }

  /** Waits until the work has ended, in whatever way. */
  void end() throws InterruptedException {
    thread.join();
  }
}
