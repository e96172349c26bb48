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
package dev.idem.pipelines.command;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.arrayContaining;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Option;

class ConfigFileTest {

  @TempDir Path directory;

  private static final class Options {
    @Option(names = "--name")
    private String name;

    @Option(names = "--other", defaultValue = "default")
    private String other;
  }

  private Options parse(String properties, String... arguments) throws IOException {
    Path file = Files.writeString(directory.resolve("job.properties"), properties);
    String[] all = new String[arguments.length + 1];
    all[0] = "--config=" + file;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    Options options = new Options();
    new CommandLine(options)
        .setDefaultValueProvider(ConfigFile.provider(all))
        .parseArgs(ConfigFile.strip(all));
    return options;
  }

  @Test
  void propertiesAreOptions() throws IOException {
    Options options = parse("name=a b\n");

    assertThat(options.name, is("a b"));
    assertThat(options.other, is("default"));
  }

  @Test
  void commandLineWins() throws IOException {
    assertThat(parse("name=file\n", "--name=line").name, is("line"));
  }

  @Test
  void referencesAreFollowed() throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "s$1\\x");

    Options options = parse("name=<${file:" + secret + "}>\nother=${env:PATH}\n");

    assertThat(options.name, is("<s$1\\x>"));
    assertThat(options.other, is(System.getenv("PATH")));
  }

  @Test
  void whatIsNotThereIsRefusedByName() {
    assertThat(
        assertThrows(Exception.class, () -> parse("name=${env:IDEM_NOT_SET_ANYWHERE}\n"))
            .getMessage(),
        containsString("IDEM_NOT_SET_ANYWHERE"));
    assertThat(
        assertThrows(
                IllegalArgumentException.class, () -> ConfigFile.provider("--config=/not/there"))
            .getMessage(),
        containsString("/not/there"));
  }

  @Test
  void onlyTheFileItselfIsStripped() {
    assertThat(ConfigFile.strip("a", "--config=f", "--b=c"), arrayContaining("a", "--b=c"));
  }
}
