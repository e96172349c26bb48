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
package dev.idem.capture;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;

/**
 * Runs PostgreSQL until standard input ends, and then stops it. Says its port on standard output
 * once it takes connections.
 */
public final class RunPostgres {

  private RunPostgres() {}

  /** Runs PostgreSQL: its files are in the directory, what it says in the file that are given. */
  public static void main(String[] arguments) throws IOException {
    // The server would keep the other end of this process's own output open.
    Redirect said = Redirect.appendTo(new File(arguments[1]));
    try (EmbeddedPostgres database =
        Servers.postgres()
            .setDataDirectory(Path.of(arguments[0]))
            .setCleanDataDirectory(false)
            .setOutputRedirector(said)
            .setErrorRedirector(said)
            .start()) {
      System.out.println("postgres ready at " + database.getPort());
      Servers.awaitEndOfInput();
    }
    System.exit(0);
  }
}
