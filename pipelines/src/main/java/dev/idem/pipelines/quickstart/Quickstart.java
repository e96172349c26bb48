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

import dev.idem.pipelines.quickstart.append.AppendShow;
import dev.idem.pipelines.quickstart.append.OrderStream;
import dev.idem.pipelines.quickstart.cdc.CdcShow;
import dev.idem.pipelines.quickstart.environment.Broker;
import dev.idem.pipelines.quickstart.environment.Children;
import dev.idem.pipelines.quickstart.environment.Directory;
import dev.idem.pipelines.quickstart.environment.Environment;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Unmatched;

/**
 * Starts a Kafka broker, runs jobs on it, kills them at the worst moments, starts them again, and
 * holds what the tables have against what was sent.
 */
@Command(
    name = "quickstart",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Shows exactly once on a real broker, through crashes; needs nothing but this.",
    footer = {
      "Everything is started from here and written into one directory; nothing is left running.",
      "Other options go to Beam, for example --runner=SparkRunner --sparkMaster=local[2]."
    })
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class Quickstart implements Callable<Integer> {

  private static final int RECORDS = 20_000;
  private static final int TRANSACTIONS = 20_000;
  private static final int KILLS = 3;

  @Option(
      names = "--dir",
      paramLabel = "DIR",
      description = "Absent or empty; default a new temporary directory.")
  private @Nullable Path directory;

  @Option(
      names = "--cdc",
      description = "Show cdc-to-delta, on a real PostgreSQL that Debezium captures.")
  private boolean cdc;

  @Option(
      names = "--records",
      paramLabel = "N",
      description = "How many different orders are sent (default " + RECORDS + ").")
  private @Nullable Integer records;

  @Option(
      names = "--transactions",
      paramLabel = "N",
      description = "With --cdc, how many transactions there are (default " + TRANSACTIONS + ").")
  private @Nullable Integer transactions;

  @Option(
      names = "--kills",
      paramLabel = "N",
      description =
          "With --cdc, how often each job is killed with a batch open (default " + KILLS + ").")
  private @Nullable Integer kills;

  @Unmatched private List<String> beamOptions = new ArrayList<>();

  @Spec private CommandSpec command;

  /** What is shown once the broker runs; returns the names of the figures that are wrong. */
  @FunctionalInterface
  private interface Show {
    List<String> run(Environment environment) throws IOException;
  }

  @Override
  public Integer call() throws IOException {
    if (cdc) {
      refuseOf("--records", records, "without");
      CdcShow.Plan plan =
          new CdcShow.Plan(
              transactions == null ? TRANSACTIONS : transactions, kills == null ? KILLS : kills);
      return show(
          "quickstart --cdc",
          environment -> new CdcShow(environment, plan).run(),
          CdcShow::inspection);
    }
    refuseOf("--transactions", transactions, "with");
    refuseOf("--kills", kills, "with");
    OrderStream orders = new OrderStream(records == null ? RECORDS : records);
    return show(
        "quickstart",
        environment -> new AppendShow(environment).run(orders),
        AppendShow::inspection);
  }

  private static void refuseOf(String option, @Nullable Integer given, String rule) {
    if (given != null) {
      throw new IllegalArgumentException(option + " must come " + rule + " --cdc.");
    }
  }

  private int show(String name, Show show, Function<Directory, String> inspection)
      throws IOException {
    Directory place = Directory.make(directory);
    // Reading tables back in this process unpacks a library too.
    System.setProperty("org.xerial.snappy.tempdir", place.temporary().toString());
    PrintWriter out = command.commandLine().getOut();
    List<String> wrong;
    try (Children children = new Children(place);
        Broker broker = started(name, children, place, out)) {
      // The command line that this is a part of also runs the job.
      String main = command.root().userObject().getClass().getName();
      wrong = show.run(new Environment(place, children, broker, main, beamOptions, out));
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
    say(out, "  " + inspection.apply(place));
    return wrong.isEmpty() ? 0 : 1;
  }

  private static Broker started(String name, Children children, Directory place, PrintWriter out)
      throws IOException {
    say(out, "Idem " + name + " in " + place.root());
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
