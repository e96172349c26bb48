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

import dev.idem.pipelines.batch.PipelineFunction;
import dev.idem.pipelines.runner.BatchRunner;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.targets.JobTarget;
import java.io.PrintStream;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine;

/**
 * A job: a source, what is done with its events, and the targets that get the rows, batch after
 * batch, exactly once.
 *
 * <p><b>Guarantee.</b> Every record that the source holds takes effect once in every target,
 * whatever is retried, replayed or killed; none is left out. Each batch is one bounded Beam
 * pipeline with a number; what decides it is written to the checkpoint before it runs, and each
 * target takes the batch and its number in one commit. A target that already holds a batch does not
 * take it again. If the promise cannot be kept - the checkpoint or a target was lost, restored or
 * swapped, or a function gives other rows for the same records - the job refuses to go on and names
 * what it found.
 *
 * <p><b>Replay.</b> A crash before {@code offsets/N} leaves nothing of batch N. After it, the batch
 * is run again with the same offsets, watermark and clock: files of an attempt that was not
 * committed are in no table; targets that were committed are found by the batch id and left out;
 * when every target holds N, {@code commits/N} is written without reading the source.
 *
 * <p><b>Requirements.</b> The function is deterministic, see {@link PipelineFunction}. One job at a
 * time uses a checkpoint; a second one is refused. Runs on the Direct runner and on Spark.
 *
 * <p><b>State and cost.</b> The checkpoint holds the last 100 batches. A batch makes one commit in
 * each target, in the dead-letter table, and in the memory if the job deduplicates.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * int exit =
 *     Job.named("paid-orders")
 *         .from(KafkaSource.topics(KafkaConfig.of("localhost:9092"), "orders"))
 *         .through((batch, events) -> events.apply(batch.deduplicateBy("event_id")))
 *         .into(DeltaTarget.at("orders", "/data/orders"))
 *         .run("--checkpoint=/data/orders-checkpoint");
 * }</pre>
 */
public final class Job {

  /** The exit code of a job that did what it was asked. */
  public static final int DONE = 0;

  /** The exit code of a job that failed; the next start runs the batch again. */
  public static final int FAILED = 1;

  /** The exit code of a job whose options are wrong. */
  public static final int BAD_USAGE = 2;

  /** The exit code of a job that refused to go on because it could not keep its promise. */
  public static final int REFUSED = 3;

  private final String applicationId;
  private final boolean applicationIdGiven;
  private final Source source;
  private final PipelineFunction function;
  private final List<JobTarget> targets;

  private Job(
      String applicationId,
      boolean applicationIdGiven,
      Source source,
      PipelineFunction function,
      List<JobTarget> targets) {
    this.applicationId = applicationId;
    this.applicationIdGiven = applicationIdGiven;
    this.source = source;
    this.function = function;
    this.targets = targets;
  }

  /**
   * Begins a job.
   *
   * @param applicationId names the job to its targets; it stays the same over restarts and differs
   *     from that of every other job that writes to them
   */
  public static Named named(String applicationId) {
    return new Named(applicationId, true);
  }

  /** Begins a job of a command, whose id is made of the command and its sources. */
  public static Named byDefaultNamed(String command, List<String> sources) {
    return new Named(command + ":" + String.join(",", sources), false);
  }

  /** A job that lacks its source. */
  public static final class Named {
    private final String applicationId;
    private final boolean given;

    private Named(String applicationId, boolean given) {
      if (applicationId.isBlank() || applicationId.contains("/")) {
        throw new IllegalArgumentException(
            "Application id must be text without a slash, but was: \"" + applicationId + "\".");
      }
      this.applicationId = applicationId;
      this.given = given;
    }

    /** Sets the source. */
    public From from(Source source) {
      return new From(this, source);
    }
  }

  /** A job that lacks its targets. */
  public static final class From {
    private final Named named;
    private final Source source;

    private From(Named named, Source source) {
      this.named = named;
      this.source = source;
    }

    /** Sets what is done between the source and the targets. */
    public Through through(PipelineFunction function) {
      return new Through(this, function);
    }

    /** Hands every decoded row to the targets as it is. */
    public Job into(JobTarget main, JobTarget... further) {
      return through((batch, events) -> events).into(main, further);
    }
  }

  /** A job that lacks its targets. */
  public static final class Through {
    private final From from;
    private final PipelineFunction function;

    private Through(From from, PipelineFunction function) {
      this.from = from;
      this.function = function;
    }

    /**
     * Sets the targets. The main one is committed last: a batch that it holds, all hold.
     *
     * @throws IllegalArgumentException if two targets have one name, or one table
     */
    public Job into(JobTarget main, JobTarget... further) {
      List<JobTarget> targets = new ArrayList<>();
      targets.add(main);
      for (JobTarget target : further) {
        for (JobTarget other : targets) {
          if (other.name().equals(target.name()) || other.place().equals(target.place())) {
            throw new IllegalArgumentException(
                "Targets must have different names and tables, but \""
                    + target.name()
                    + "\" at "
                    + target.place()
                    + " was given twice.");
          }
        }
        targets.add(target);
      }
      Map<String, String> merges = new TreeMap<>();
      targets.forEach(
          target -> target.rules().ifPresent(rules -> merges.put("merge " + target.name(), rules)));
      return new Job(
          from.named.applicationId,
          from.named.given,
          from.source,
          merges.isEmpty() ? function : binding(merges, function),
          List.copyOf(targets));
    }

    /** What changes mean must not change between batches. */
    private static PipelineFunction binding(
        Map<String, String> choices, PipelineFunction function) {
      Map<String, String> bound = Map.copyOf(choices);
      return (batch, events) -> {
        bound.forEach(batch::bind);
        return function.apply(batch, events);
      };
    }
  }

  /**
   * Runs the job with the options of a command line: those that every job takes, and Beam's own.
   * Says on standard error what went wrong.
   *
   * @return the exit code, for {@link System#exit}
   */
  public int run(String... arguments) {
    JobOptions options = new JobOptions();
    CommandLine commandLine = new CommandLine(options);
    commandLine
        .setUnmatchedArgumentsAllowed(true)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUnmatchedOptionsArePositionalParams(false);
    List<String> beam;
    try {
      beam = commandLine.parseArgs(arguments).unmatched();
    } catch (CommandLine.ParameterException e) {
      System.err.println(e.getMessage());
      return BAD_USAGE;
    }
    return run(options, beam, System.out, System.err);
  }

  /**
   * Runs the job with options that a command has parsed.
   *
   * @param beam Beam's own options
   * @return the exit code
   */
  public int run(JobOptions options, List<String> beam, PrintStream out, PrintStream err) {
    JobSettings settings;
    try {
      settings = options.settings(applicationId, applicationIdGiven, Clock.systemUTC());
      BatchRunner.refuseUnknown(beam);
    } catch (IllegalArgumentException e) {
      err.println(e.getMessage());
      return BAD_USAGE;
    }
    if (options.dryRun()) {
      return dryRun(settings, new Progress(out), err);
    }
    return run(settings, beam, new Progress(out), err);
  }

  private int dryRun(JobSettings settings, Progress progress, PrintStream err) {
    try {
      new DryRun(settings, source, function, targets, progress).run();
      return DONE;
    } catch (Exception e) {
      return Failure.report(e, err);
    }
  }

  int run(JobSettings settings, List<String> beam, Progress progress, PrintStream err) {
    try (BatchRunner runner = BatchRunner.of(beam.toArray(String[]::new))) {
      new BatchLoop(settings, source, function, targets, runner, progress).run();
      return DONE;
    } catch (Exception e) {
      return Failure.report(e, err);
    }
  }
}
