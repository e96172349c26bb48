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

import dev.idem.io.file.References;
import dev.idem.io.file.UnresolvedReferenceException;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import org.apache.beam.sdk.options.PipelineOptionsFactory;
import picocli.CommandLine;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * The options of {@code --config=FILE}: properties with the names of options, the command's or
 * Beam's, whose values may be {@code ${env:NAME}} or {@code ${file:PATH}}. An option on the command
 * line wins.
 */
final class ConfigFile {

  private static final String OPTION = "--config=";

  /** What the options of further targets begin with. */
  private static final String TARGET = "target.";

  /** What is done once, by who asks for it: from a file every start would do it again. */
  private static final Set<String> TASKS = Set.of("refresh", "redrive");

  private final List<String> arguments;
  private final Map<String, Property> properties;

  private record Property(String value, Path file) {}

  private ConfigFile(List<String> arguments, Map<String, Property> properties) {
    this.arguments = arguments;
    this.properties = properties;
  }

  /** Reads the files that a command line names. */
  static ConfigFile of(String... arguments) {
    Map<String, Property> properties = new TreeMap<>();
    List<String> others = new ArrayList<>();
    for (String argument : arguments) {
      if (argument.startsWith(OPTION)) {
        load(Path.of(argument.substring(OPTION.length())), properties);
      } else {
        others.add(argument);
      }
    }
    return new ConfigFile(others, properties);
  }

  /** Returns the values of the options that the command has. */
  IDefaultValueProvider provider() {
    return option -> {
      Property property =
          option.isOption()
              ? properties.get(((OptionSpec) option).longestName().replaceFirst("^--", ""))
              : null;
      return property == null ? null : resolve(property.value());
    };
  }

  /**
   * Returns the command line without the files, and with their properties that are Beam's.
   *
   * @throws IllegalArgumentException if a property is neither the command's nor Beam's
   */
  String[] arguments(CommandLine idem) {
    List<String> all = new ArrayList<>(arguments);
    CommandLine command = all.isEmpty() ? null : idem.getSubcommands().get(all.get(0));
    if (command == null) {
      return all.toArray(String[]::new);
    }
    CommandSpec spec = command.getCommandSpec();
    boolean handsOn = !spec.unmatchedArgsBindings().isEmpty();
    properties.forEach(
        (name, property) -> {
          if (name.startsWith(TARGET) && spec.optionsMap().containsKey("--target")) {
            String option = "--target=" + name.substring(TARGET.length()) + "=";
            if (arguments.stream().noneMatch(each -> each.startsWith(option))) {
              all.add(option + resolve(property.value()));
            }
            return;
          }
          String option = "--" + name;
          if (spec.optionsMap().containsKey(option)
              || arguments.stream().anyMatch(each -> each.startsWith(option + "="))) {
            return;
          }
          String argument = option + "=" + resolve(property.value());
          if (!handsOn || !isBeams(argument)) {
            throw new IllegalArgumentException(
                "Property of \""
                    + property.file()
                    + "\" must be an option of "
                    + spec.name()
                    + (handsOn ? " or of Beam" : "")
                    + ", with a value that it takes, but was: \""
                    + name
                    + "\". Correct it, or take it out of the file.");
          }
          all.add(argument);
        });
    return all.toArray(String[]::new);
  }

  private static boolean isBeams(String argument) {
    try {
      PipelineOptionsFactory.fromArgs(argument).create();
      return true;
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private static void load(Path file, Map<String, Property> properties) {
    Properties loaded = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      loaded.load(reader);
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--config must be a readable file, but was: \"" + file + "\".", e);
    }
    for (String name : loaded.stringPropertyNames()) {
      if (TASKS.contains(name)) {
        throw task(name, file);
      }
      properties.put(name, new Property(loaded.getProperty(name), file));
    }
  }

  private static IllegalArgumentException task(String name, Path file) {
    return new IllegalArgumentException(
        "Property of \""
            + file
            + "\" must be an option that holds for every start, but was: \""
            + name
            + "\", which every start would do again. Take it out of the file, and give it once on"
            + " the command line: idem "
            + name
            + " JOB --config="
            + file
            + ".");
  }

  private static String resolve(String value) {
    try {
      return References.follow(value);
    } catch (UnresolvedReferenceException e) {
      throw new IllegalArgumentException(
          (e.isEnvironment()
                  ? "Environment variable must be set, but is not: \""
                  : "Referred file must be readable, but was: \"")
              + e.name()
              + "\".",
          e);
    }
  }
}
