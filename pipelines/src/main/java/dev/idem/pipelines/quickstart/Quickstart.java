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
package dev.idem.pipelines.quickstart;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * Starts a Kafka broker, runs {@code kafka-to-delta} on it, kills it at the worst moment, starts it
 * again, and holds what the tables have against what was sent.
 */
@Command(
    name = "quickstart",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Shows exactly once on a real broker, through a crash; needs nothing but this.",
    footer = {
      "Everything is started from here and written into one directory; nothing is left running.",
      "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2]."
    })
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class Quickstart implements Callable<Integer> {

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Absent or empty; default a new temporary directory.")
  private @Nullable Path directory;

  @Option(
      names = "--records",
      paramLabel = "N",
      defaultValue = "20000",
      description = "How many different orders are sent (default ${DEFAULT-VALUE}).")
  private int records;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Spec private CommandSpec command;

  @Override
  public Integer call() throws IOException {
    OrderStream orders = new OrderStream(records);
    Directory place = Directory.make(directory);
    // Reading tables back in this process unpacks a library too.
    System.setProperty("org.xerial.snappy.tempdir", place.temporary().toString());
    PrintWriter out = command.commandLine().getOut();
    List<String> wrong;
    try (Children children = new Children(place);
        Broker broker = started(children, place, out)) {
      // The command line that this is a part of also runs the job.
      String main = command.root().userObject().getClass().getName();
      Show show = new Show(place, children, broker, main, beamOptions, out);
      wrong = show.run(orders);
    } finally {
      place.removeTemporary();
    }
    say(out, "");
    say(
        out,
        wrong.isEmpty()
            ? "Every figure is as it must be."
            : "WRONG: " + String.join(", ", wrong) + ".");
    say(out, "Everything is in " + place.root() + ". Look at the job's batches and tables with");
    say(out, "  " + Show.inspection(place));
    return wrong.isEmpty() ? 0 : 1;
  }

  private static Broker started(Children children, Directory place, PrintWriter out)
      throws IOException {
    say(out, "Idem quickstart in " + place.root());
    say(out, "All that is started writes there; output of processes is in its logs/.");
    say(out, "");
    say(out, "1. A Kafka broker of its own");
    Broker broker = Broker.start(children, place);
    say(out, "   " + broker.address() + ", process " + broker.pid());
    return broker;
  }

  private static void say(PrintWriter out, String line) {
    out.println(line);
    out.flush();
  }
}
