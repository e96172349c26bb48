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
package dev.idem.pipelines.quickstart.cdc;

import dev.idem.pipelines.quickstart.environment.Directory;
import dev.idem.pipelines.quickstart.environment.Environment;
import dev.idem.pipelines.quickstart.environment.Jvm;
import dev.idem.pipelines.quickstart.environment.Server;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The programs of {@code src/capture}: their jars are others than ours, so they have a class path
 * of their own, which the build leaves in a file.
 */
final class CaptureJvm {

  /** Names the directory of the module; the launcher sets it. */
  static final String MODULE = "idem.capture";

  private CaptureJvm() {}

  static Server postgres(Environment environment) throws IOException {
    Directory directory = environment.directory();
    return Server.start(
        environment.children(),
        "postgres",
        "postgres ready at ",
        program(
                "RunPostgres",
                directory.root().resolve("postgres").toString(),
                directory.log("postgres").toString())
            .with("-Xmx256m")
            .thatTidiesUp());
  }

  static Process debezium(Environment environment, String connector, Database database)
      throws IOException {
    return environment
        .children()
        .start(
            Debezium.NAME,
            program(
                    "RunCapture",
                    environment.broker().address(),
                    Integer.toString(database.port()),
                    connector,
                    String.join(",", Database.TABLES))
                .with("-Xmx384m"));
  }

  private static Jvm program(String name, String... arguments) throws IOException {
    String module = System.getProperty(MODULE);
    if (module == null) {
      throw CdcErrors.noCaptureModule();
    }
    Path target = Path.of(module, "target");
    return Jvm.withClassPath(
        target.resolve("classes")
            + File.pathSeparator
            + Files.readString(target.resolve("capture.classpath")).strip(),
        "dev.idem.capture." + name,
        List.of(arguments));
  }
}
