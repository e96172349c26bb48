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

import dev.idem.pipelines.job.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Unmatched;

class ConfigFileTest {

  @TempDir Path directory;

  private static final class Options {
    @Option(names = "--name")
    private String name;

    @Option(names = "--other", defaultValue = "default")
    private String other;
  }

  @SuppressWarnings("UnusedVariable") // only their names matter
  private static final class BeamOptions {
    @Option(names = "--name")
    private String name;

    @Option(names = "--other")
    private String other;

    @Unmatched private List<String> beam;
  }

  private Options parse(String properties, String... arguments) throws IOException {
    Path file = Files.writeString(directory.resolve("job.properties"), properties);
    String[] all = new String[arguments.length + 1];
    all[0] = "--config=" + file;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    Options options = new Options();
    new CommandLine(options)
        .setDefaultValueProvider(ConfigFile.of(all).provider())
        .parseArgs(arguments);
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
        assertThrows(IllegalArgumentException.class, () -> ConfigFile.of("--config=/not/there"))
            .getMessage(),
        containsString("/not/there"));
  }

  @Test
  void commandGetsAllButTheFileAndWithItWhatIsBeams() throws IOException {
    assertThat(
        handedOn("name=a\nrunner=DirectRunner\ntargetParallelism=3\n", "--other=b"),
        arrayContaining("job", "--other=b", "--runner=DirectRunner", "--targetParallelism=3"));
    assertThat(
        handedOn("runner=SparkRunner\n", "--runner=DirectRunner"),
        arrayContaining("job", "--runner=DirectRunner"));
  }

  @SuppressWarnings("UnusedVariable") // only its name matters
  private static final class TargetOptions {
    @Option(names = "--target")
    private Map<String, String> targets;
  }

  @Test
  void propertiesOfFurtherTargetsAreTheirOptionsUnlessTheCommandLineHasThem() throws IOException {
    assertThat(
        arguments(
            new TargetOptions(),
            "target.a.table=/file\ntarget.b.topic=${env:PATH}\n",
            "--target=a.table=/line"),
        arrayContaining(
            "job", "--target=a.table=/line", "--target=b.topic=" + System.getenv("PATH")));
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> handedOn("target.a.table=/a\n"))
            .getMessage(),
        containsString("must be an option of job or of Beam"));
  }

  @Test
  void propertyThatNobodyKnowsIsRefusedByNameAndFile() {
    assertThat(
        assertThrows(IllegalArgumentException.class, () -> handedOn("nam=a\nother=b\n"))
            .getMessage(),
        is(
            "Property of \""
                + directory.resolve("job.properties")
                + "\" must be an option of job or of Beam, with a value that it takes, but was:"
                + " \"nam\". Correct it, or take it out of the file."));
  }

  @ParameterizedTest
  @ValueSource(strings = {"refresh", "redrive"})
  void whatIsDoneOnceIsNoPropertyThatEveryStartReads(String task) throws IOException {
    Path file =
        Files.writeString(directory.resolve("job.properties"), "name=a\n" + task + "=late\n");

    assertThat(
        assertThrows(IllegalArgumentException.class, () -> ConfigFile.of("--config=" + file))
            .getMessage(),
        is(
            "Property of \"%s\" must be an option that holds for every start, but was: \"%s\", which every start would do again. Take it out of the file, and give it once on the command line: idem %s JOB --config=%s."
                .formatted(file, task, task, file)));
    assertThat(
        Idem.run("kafka-to-delta", "--config=" + file, "--checkpoint=/c"), is(Job.BAD_USAGE));
  }

  @Test
  void propertyOfBeamIsRefusedByACommandThatRunsNoPipeline() {
    assertThat(
        assertThrows(
                IllegalArgumentException.class,
                () -> arguments(new Options(), "runner=DirectRunner\n"))
            .getMessage(),
        containsString(
            "must be an option of job, with a value that it takes, but was: \"runner\""));
  }

  @Test
  void commandLineIsBadUsageIfItsFileIs() throws IOException {
    Path file = Files.writeString(directory.resolve("job.properties"), "chekpoint=/c\n");

    assertThat(Idem.run("inspect", "--config=" + file), is(Job.BAD_USAGE));
  }

  private String[] handedOn(String properties, String... arguments) throws IOException {
    return arguments(new BeamOptions(), properties, arguments);
  }

  private String[] arguments(Object command, String properties, String... arguments)
      throws IOException {
    Path file = Files.writeString(directory.resolve("job.properties"), properties);
    String[] all = new String[arguments.length + 2];
    all[0] = "--config=" + file;
    all[1] = "job";
    System.arraycopy(arguments, 0, all, 2, arguments.length);
    return ConfigFile.of(all)
        .arguments(new CommandLine(CommandSpec.create()).addSubcommand("job", command));
  }
}
