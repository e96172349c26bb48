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

import dev.idem.io.checkpoint.Agreement;
import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.delta.table.SchemaEvolution;
import dev.idem.pipelines.batch.EventTimeRules;
import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.failure.Crash;
import dev.idem.pipelines.plan.OnDataLoss;
import java.io.IOException;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** The options that every job takes on its command line; a command mixes them into its own. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class JobOptions {

  private static final Duration SHORTEST_LEASE_TIMEOUT = Duration.ofSeconds(15);

  @Option(
      names = "--checkpoint",
      required = true,
      paramLabel = "DIR",
      description = "The directory with the job's plans and commits.")
  private String checkpoint;

  @Mixin private HadoopOptions hadoop;

  @Option(
      names = "--applicationId",
      paramLabel = "ID",
      description = "Names the job to its targets, for ever.")
  private @Nullable String applicationId;

  @Option(
      names = "--trigger",
      paramLabel = "available-now|10s",
      defaultValue = "available-now",
      description = "End at the offsets seen at the start, or run a batch every so often.")
  private String trigger;

  @Option(
      names = "--maxRecordsPerBatch",
      paramLabel = "N",
      description = "At most so many offsets a batch.")
  private long maxRecordsPerBatch = Long.MAX_VALUE;

  @Option(
      names = "--maxDeadLetters",
      paramLabel = "10%%",
      defaultValue = "10%",
      converter = PercentConverter.class,
      description = "More records that are no rows, in a batch of 1,000 or more, fail the batch.")
  private Double maxDeadLetters;

  @Option(
      names = "--watermarkDelay",
      paramLabel = "5m",
      defaultValue = "5m",
      converter = DurationConverter.class,
      description = "How far the watermark stays behind the greatest event time.")
  private Duration watermarkDelay;

  @Option(
      names = "--dedupHorizon",
      paramLabel = "5m",
      converter = DurationConverter.class,
      description = "How long a key is remembered, in event time; default the delay.")
  private @Nullable Duration dedupHorizon;

  @Option(
      names = "--maxFutureSkew",
      paramLabel = "5m",
      defaultValue = "5m",
      converter = DurationConverter.class,
      description = "Event times further ahead of the clock do not move the watermark.")
  private Duration maxFutureSkew;

  @Option(
      names = "--idleAfter",
      paramLabel = "5m",
      converter = DurationConverter.class,
      description =
          "A partition read out for so long does not hold the watermark; default the delay.")
  private @Nullable Duration idleAfter;

  @Option(
      names = "--onLostCheckpoint",
      paramLabel = "refuse|resume|restart",
      defaultValue = "refuse",
      description = "Go on from what the table remembers, or begin anew as --refresh does.")
  private Agreement.OnLostCheckpoint onLostCheckpoint;

  @Option(
      names = "--refresh",
      description =
          "Begin anew: read the source from its beginning, and empty the tables in the first commit.")
  private boolean refresh;

  @Option(
      names = "--redrive",
      paramLabel = "REASON",
      description = "Take the dead letters of a reason through the job again, once, and end.")
  private @Nullable String redrive;

  @Option(names = "--onLostTarget", paramLabel = "refuse|continue", defaultValue = "refuse")
  private Agreement.OnLostTarget onLostTarget;

  @Option(names = "--onDataLoss", paramLabel = "fail|continue", defaultValue = "fail")
  private OnDataLoss onDataLoss;

  @Option(names = "--onChangedContent", paramLabel = "refuse|complete", defaultValue = "refuse")
  private JobSettings.OnChangedContent onChangedContent;

  @Option(
      names = "--compactSmallFiles",
      paramLabel = "N",
      description =
          "After a batch, rewrite the small files of partitions with N and more; default never.")
  private @Nullable Integer compactSmallFiles;

  @Option(
      names = "--schemaEvolution",
      paramLabel = "none|add|widen",
      defaultValue = "none",
      description = "What a batch may change of a table's schema: add columns, widen types, too.")
  private SchemaEvolution schemaEvolution;

  @Option(
      names = "--leaseTimeout",
      paramLabel = "60s",
      defaultValue = "60s",
      converter = DurationConverter.class,
      description =
          "How long a job's heartbeat must stand still to be taken for dead, where no lock tells;"
              + " 15s at least.")
  private Duration leaseTimeout;

  @Option(
      names = "--shutdownTimeout",
      paramLabel = "30s",
      defaultValue = "30s",
      converter = DurationConverter.class,
      description = "How long a batch may take to end after SIGTERM.")
  private Duration shutdownTimeout;

  @Option(
      names = "--crashAt",
      paramLabel = "POINT[:BATCH]",
      description = "Halt the JVM there, as a power cut would (exit 86); a test aid.")
  private @Nullable String crashAt;

  @Option(
      names = "--dryRun",
      description =
          "Say what the next batch would be, or why a start is refused; touch nothing and end.")
  private boolean dryRun;

  /** Returns the settings of Hadoop's file systems, references not followed. */
  public Map<String, String> hadoopConfiguration() {
    return hadoop.settings();
  }

  /** Returns the last plan that the checkpoint has, read without a lease; none before the first. */
  public Optional<Plan> lastPlan() throws IOException {
    return CheckpointView.find(checkpoint, hadoop.settings()).stream()
        .flatMap(view -> view.batches().stream())
        .flatMap(batch -> batch.plan().stream())
        .reduce((first, second) -> second);
  }

  boolean dryRun() {
    return dryRun;
  }

  JobSettings settings(String defaultApplicationId, boolean chosen, Clock clock) {
    if (maxRecordsPerBatch < 1) {
      throw new IllegalArgumentException(
          "--maxRecordsPerBatch must be at least 1, but was: " + maxRecordsPerBatch + ".");
    }
    if (compactSmallFiles != null && compactSmallFiles < 2) {
      throw new IllegalArgumentException(
          "--compactSmallFiles must be at least 2, but was: " + compactSmallFiles + ".");
    }
    return new JobSettings(
        applicationId == null ? defaultApplicationId : applicationId,
        chosen || applicationId != null,
        checkpoint,
        hadoop.settings(),
        trigger.equals("available-now") ? Optional.empty() : Optional.of(duration(trigger)),
        maxRecordsPerBatch,
        maxDeadLetters,
        new EventTimeRules(
            watermarkDelay,
            dedupHorizon == null ? watermarkDelay : dedupHorizon,
            maxFutureSkew,
            idleAfter == null ? watermarkDelay : idleAfter),
        onLostCheckpoint,
        refresh,
        Optional.ofNullable(redrive).map(JobOptions::reason),
        onLostTarget,
        onDataLoss,
        onChangedContent,
        compactSmallFiles == null ? 0 : compactSmallFiles,
        schemaEvolution,
        leaseTimeout(),
        shutdownTimeout,
        crashAt == null ? Crash.NEVER : Crash.parse(crashAt),
        clock);
  }

  /** Returns a reason as the dead-letter table shows it; dashes may stand for its spaces. */
  private static String reason(String text) {
    String label = text.replace('-', ' ');
    List<String> labels =
        Arrays.stream(Decoded.Reason.values()).map(Decoded.Reason::label).toList();
    if (!labels.contains(label)) {
      throw new IllegalArgumentException(
          "Reason must be one of " + labels + ", but was: \"" + text + "\".");
    }
    return label;
  }

  /** The holder beats every five seconds, and one beat may be late. */
  private Duration leaseTimeout() {
    if (leaseTimeout.compareTo(SHORTEST_LEASE_TIMEOUT) < 0) {
      throw new IllegalArgumentException(
          "--leaseTimeout must be 15s at least, but was: " + leaseTimeout.toSeconds() + "s.");
    }
    return leaseTimeout;
  }

  private static final Pattern DURATION = Pattern.compile("(\\d+)(ms|s|m|h|d)");

  static Duration duration(String text) {
    Matcher matcher = DURATION.matcher(text.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      try {
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(amount);
          case "s" -> Duration.ofSeconds(amount);
          case "m" -> Duration.ofMinutes(amount);
          case "h" -> Duration.ofHours(amount);
          default -> Duration.ofDays(amount);
        };
      } catch (NumberFormatException | ArithmeticException e) {
        throw notADuration(text);
      }
    }
    try {
      return Duration.parse(text);
    } catch (DateTimeParseException e) {
      throw notADuration(text);
    }
  }

  private static IllegalArgumentException notADuration(String text) {
    return new IllegalArgumentException(
        "Duration must be a number with ms, s, m, h or d, but was: \"" + text + "\".");
  }

  /** Reads durations like {@code 30s}, {@code 5m} and {@code 30d}. */
  public static final class DurationConverter implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      try {
        return duration(text);
      } catch (IllegalArgumentException e) {
        throw new TypeConversionException(e.getMessage());
      }
    }
  }

  /** Takes a share that is given as a percentage. */
  public static final class PercentConverter implements ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      if (!text.matches("\\d{1,3}(\\.\\d+)?%")) {
        throw new TypeConversionException(
            "Share must be a percentage like 10%, but was: \"" + text + "\".");
      }
      BigDecimal share = new BigDecimal(text.substring(0, text.length() - 1)).movePointLeft(2);
      if (share.compareTo(BigDecimal.ONE) > 0) {
        throw new TypeConversionException("Share must be at most 100%, but was: " + text + ".");
      }
      return share.doubleValue();
    }
  }
}
