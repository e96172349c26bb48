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
package dev.idem.pipelines.quickstart.environment;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The processes of a quickstart: JVMs that write in its directory only. None outlives this JVM,
 * however it ends, unless it is killed; then servers end by themselves, and so does a job without
 * its broker.
 */
public final class Children implements AutoCloseable {

  /** The exit code of a process that SIGKILL ended. */
  private static final int KILLED = 137;

  private final Directory directory;
  private final Map<Process, Jvm> running = new ConcurrentHashMap<>();
  private final Thread hook = new Thread(this::killAll, "quickstart-children");
  private boolean ended;

  /** Prepares for processes in a directory. */
  public Children(Directory directory) {
    this.directory = directory;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /**
   * Starts a JVM; its standard input ends with this process.
   *
   * @param output takes the standard output; the errors go to the log of that name
   */
  public Process start(String name, Redirect output, Jvm jvm) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(jvm.command(directory.temporary()))
            .directory(directory.root().toFile())
            .redirectOutput(output)
            .redirectError(Redirect.appendTo(directory.log(name).toFile()));
    synchronized (running) {
      if (ended) {
        throw new IllegalStateException("Quickstart must not start a process while it ends.");
      }
      Process process = builder.start();
      running.put(process, jvm);
      return process;
    }
  }

  /** Starts a JVM whose output goes to the log of that name. */
  public Process start(String name, Jvm jvm) throws IOException {
    return start(name, Redirect.appendTo(log(name).toFile()), jvm);
  }

  /** Runs a JVM to its end, and refuses another exit code. */
  public void run(String name, int exitCode, Jvm jvm) throws IOException {
    Process process = start(name, jvm);
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      throw QuickstartErrors.interrupted(e);
    }
    requireExitCode(name, exitCode, process);
  }

  /** Kills a JVM with SIGKILL, and returns when it is gone. */
  public void kill(String name, Process process) {
    process.destroyForcibly();
    process.onExit().join();
    requireExitCode(name, KILLED, process);
  }

  private void requireExitCode(String name, int exitCode, Process process) {
    running.remove(process);
    if (process.exitValue() != exitCode) {
      throw QuickstartErrors.exitCode(name, exitCode, process.exitValue(), log(name));
    }
  }

  /** Returns the file with the output of a process. */
  public Path log(String name) {
    return directory.log(name);
  }

  private void killAll() {
    synchronized (running) {
      ended = true;
      running.forEach(Children::end);
    }
    // Joined, so that nothing writes any more once this process has ended.
    running.keySet().forEach(process -> process.onExit().join());
  }

  private static void end(Process process, Jvm jvm) {
    if (jvm.tidiesUp()) {
      try {
        process.getOutputStream().close();
        return;
      } catch (IOException e) {
        // Its input cannot be ended, so it has gone already.
      }
    }
    process.destroyForcibly();
  }

  @Override
  public void close() {
    killAll();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The JVM is ending: the hook runs, and finds nothing left to kill.
      ended = true;
    }
  }
}
