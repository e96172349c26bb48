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
package dev.idem.pipelines.inspect;

import dev.idem.io.checkpoint.BatchCommit;
import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.delta.table.DeltaRecord;
import dev.idem.pipelines.stage.Counts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What was found, for people: aligned columns, and only the sections that have something. */
final class InspectionText {

  private static final String NEVER = "-";

  private final StringBuilder text = new StringBuilder();

  private InspectionText() {}

  static String of(String checkpoint, CheckpointView view, List<TableView> tables) {
    InspectionText inspection = new InspectionText();
    inspection.checkpoint(checkpoint, view);
    inspection.batches(view);
    inspection.offsets(view);
    inspection.notes(view);
    inspection.tables(tables);
    return inspection.text.toString().stripTrailing();
  }

  static String state(CheckpointView.State state) {
    return switch (state) {
      case PENDING -> "planned";
      case COMMITTED -> "committed";
      case DAMAGED -> "damaged";
    };
  }

  private void checkpoint(String checkpoint, CheckpointView view) {
    TextTable table = new TextTable();
    table.row("checkpoint", checkpoint);
    view.metadata()
        .ifPresent(
            metadata -> {
              table.row("application id", metadata.applicationId());
              table.row("epoch", metadata.epoch() + ", since " + metadata.created());
              table.row("bound options", bound(metadata.bound()));
            });
    table.row("lease", view.holder().map(InspectionText::lease).orElse("never taken, or damaged"));
    table.row(
        "bytes",
        new TreeMap<>(view.sizes())
            .entrySet().stream()
                .map(size -> size.getKey() + " " + number(size.getValue()))
                .collect(Collectors.joining(", ")));
    view.damage().forEach(damage -> table.row("DAMAGED", damage));
    text.append(table);
  }

  private static String bound(Map<String, String> options) {
    return options.isEmpty()
        ? "none yet"
        : new TreeMap<>(options)
            .entrySet().stream()
                .map(option -> "--" + option.getKey() + "=" + option.getValue())
                .collect(Collectors.joining(" "));
  }

  private static String lease(CheckpointView.Holder holder) {
    String state =
        switch (LeaseHolder.state(holder)) {
          case RELEASED -> "released";
          case RUNNING -> "held, running";
          case NOT_HERE -> "not released, and not running on this host";
        };
    return "generation %d, %s: %s".formatted(holder.generation(), state, holder.owner());
  }

  private void batches(CheckpointView view) {
    if (view.batches().isEmpty()) {
      text.append("\nno batch was planned yet\n");
      return;
    }
    TextTable table =
        new TextTable(
            "batch",
            "state",
            "read",
            "rows",
            "duplicates",
            "late",
            "conflicts",
            "invalid",
            "filtered",
            "commit share",
            "watermark before",
            "watermark after",
            "targets skipped");
    for (CheckpointView.Batch batch : view.batches()) {
      Optional<Summary> summary = batch.commit().map(BatchCommit::summary);
      List<String> cells = new ArrayList<>();
      cells.add(Long.toString(batch.batch()));
      cells.add(state(batch.state()));
      for (String count :
          List.of(
              Counts.READ,
              Counts.ROWS,
              Counts.DUPLICATES,
              Counts.LATE,
              Counts.CONFLICTS,
              Counts.INVALID,
              Counts.FILTERED)) {
        cells.add(summary.map(s -> number(s.counts().getOrDefault(count, 0L))).orElse(NEVER));
      }
      cells.add(
          batch
              .commit()
              .map(commit -> String.format(Locale.ROOT, "%.1f%%", 100 * commit.commitShare()))
              .orElse(NEVER));
      cells.add(batch.plan().flatMap(Plan::watermark).map(Instant::toString).orElse(NEVER));
      cells.add(summary.flatMap(Summary::watermark).map(Instant::toString).orElse(NEVER));
      cells.add(
          batch
              .commit()
              .map(commit -> String.join(", ", commit.skippedTargets()))
              .filter(names -> !names.isEmpty())
              .orElse(NEVER));
      table.row(cells.toArray(String[]::new));
    }
    text.append('\n').append(table);
  }

  private void offsets(CheckpointView view) {
    TextTable table = new TextTable("batch", "offsets");
    for (CheckpointView.Batch batch : view.batches()) {
      batch
          .plan()
          .ifPresent(
              plan ->
                  table.row(
                      Long.toString(batch.batch()),
                      plan.ranges().stream()
                          .map(InspectionText::range)
                          .collect(Collectors.joining("  "))));
    }
    if (!table.isEmpty()) {
      text.append('\n').append(table);
    }
  }

  private static String range(Plan.Range range) {
    return "%s-%d %d..%d".formatted(range.topic(), range.partition(), range.start(), range.end());
  }

  private void notes(CheckpointView view) {
    TextTable table = new TextTable("batch", "note");
    for (CheckpointView.Batch batch : view.batches()) {
      String id = Long.toString(batch.batch());
      batch.damage().forEach(damage -> table.row(id, "DAMAGED " + damage));
      batch
          .commit()
          .ifPresent(
              commit -> {
                new TreeMap<>(commit.notes())
                    .forEach((name, note) -> table.row(id, name + ": " + note));
                for (String count : List.of(Counts.FUTURE, Counts.LOST)) {
                  long value = commit.summary().counts().getOrDefault(count, 0L);
                  if (value > 0) {
                    table.row(id, count + ": " + number(value));
                  }
                }
              });
    }
    if (!table.isEmpty()) {
      text.append('\n').append(table);
    }
  }

  private void tables(List<TableView> tables) {
    if (tables.isEmpty()) {
      return;
    }
    TextTable table =
        new TextTable("table", "version", "rows", "keys", "files", "bytes", "sink", "holds batch");
    List<String> problems = new ArrayList<>();
    for (TableView each : tables) {
      String name = each.role().label();
      if (each.state().isEmpty()) {
        table.row(name, NEVER, NEVER, NEVER, NEVER, NEVER, "absent", NEVER);
      } else {
        table.row(
            name,
            Long.toString(each.state().get().version()),
            number(each.rows()),
            each.keys().isPresent() ? number(each.keys().getAsLong()) : NEVER,
            number(each.files()),
            number(each.bytes()),
            each.held().isEmpty()
                ? "none of this application"
                : each.held().stream().map(DeltaRecord::sink).collect(Collectors.joining(", ")),
            each.held().isEmpty()
                ? NEVER
                : each.held().stream()
                    .map(record -> Long.toString(record.batch()))
                    .collect(Collectors.joining(", ")));
      }
      each.problems().forEach(problem -> problems.add(name + ": " + problem));
    }
    text.append('\n').append(table);
    text.append('\n');
    tables.forEach(
        each -> text.append(each.role().label()).append(" at ").append(each.path()).append('\n'));
    problems.forEach(problem -> text.append("PROBLEM ").append(problem).append('\n'));
  }

  private static String number(long value) {
    return String.format(Locale.ROOT, "%,d", value);
  }
}
