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

import dev.idem.pipelines.targets.JobTarget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * The options of the targets that a job has beside its own, each as {@code NAME.OPTION=VALUE}; in a
 * file of options {@code target.NAME.OPTION=VALUE}. A target is what its options are those of: a
 * table of a database has a {@code jdbcUrl}, a topic a {@code topic}, a server a {@code url}, a
 * Delta table a {@code table}.
 */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class FurtherTargetOptions {

  private static final String JDBC = "jdbcUrl";
  private static final String KAFKA = "topic";
  private static final String HTTP = "url";
  private static final String DELTA = "table";

  @Option(
      names = "--target",
      paramLabel = "NAME.OPTION=VALUE",
      description = {
        "An option of a further target, which gets the same rows under the same batch id; in a",
        "file for --config: target.NAME.OPTION=VALUE. A target has the options of kafka-to-jdbc,",
        "delta-to-kafka, kafka-to-http or, for a Delta table, --table and --partitionBy."
      })
  private Map<String, String> options = new TreeMap<>();

  /** Returns the targets, in the order of their names. */
  public JobTarget[] targets() {
    Map<String, Map<String, String>> byName = new TreeMap<>();
    options.forEach(
        (option, value) -> {
          int dot = option.lastIndexOf('.');
          if (dot < 1 || dot == option.length() - 1) {
            throw new IllegalArgumentException(
                "Option of a further target must be NAME.OPTION, but was: \"" + option + "\".");
          }
          byName
              .computeIfAbsent(option.substring(0, dot), name -> new TreeMap<>())
              .put(option.substring(dot + 1), value);
        });
    List<JobTarget> targets = new ArrayList<>();
    byName.forEach((name, own) -> targets.add(target(name, own)));
    return targets.toArray(JobTarget[]::new);
  }

  private static JobTarget target(String name, Map<String, String> own) {
    try {
      if (own.containsKey(JDBC)) {
        return parsed(new JdbcTargetOptions(), own).furtherTarget(name);
      }
      if (own.containsKey(KAFKA)) {
        return parsed(new KafkaTargetOptions(), own).target(name);
      }
      if (own.containsKey(HTTP)) {
        return parsed(new HttpTargetOptions(), own).target(name);
      }
      if (own.containsKey(DELTA)) {
        return parsed(new TableOptions(), own).target(name);
      }
    } catch (CommandLine.ParameterException | IllegalArgumentException e) {
      throw new IllegalArgumentException("Target \"" + name + "\": " + e.getMessage(), e);
    }
    throw new IllegalArgumentException(
        "Target \""
            + name
            + "\" must have jdbcUrl, topic, url or table, by which it is known what it is, but has: "
            + own.keySet()
            + ".");
  }

  private static <T> T parsed(T options, Map<String, String> own) {
    String[] arguments =
        own.entrySet().stream()
            .map(option -> "--" + option.getKey() + "=" + option.getValue())
            .toArray(String[]::new);
    new CommandLine(options).parseArgs(arguments);
    return options;
  }
}
