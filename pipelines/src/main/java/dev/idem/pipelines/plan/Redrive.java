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
package dev.idem.pipelines.plan;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.delta.DeltaLakeIO;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import dev.idem.pipelines.source.Source;
import dev.idem.pipelines.targets.TargetTable;
import java.io.Serializable;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Filter;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;

/*
 * The batch is committed to the dead-letter table last. Until then nothing takes these rows out of it,
 * and none comes in: one job an application is at work, and compaction only moves rows. So every
 * attempt reads the same rows, whatever the version; after it there is no attempt any more.
 */
/**
 * A batch that takes dead letters of one reason through the job again, instead of records of the
 * source; its plan says so.
 *
 * @param reason the reason, as the dead-letter table shows it
 */
public record Redrive(String reason) implements Serializable {

  /** The option of a plan that says so. */
  static final String OPTION = "redrive";

  /** Returns what a plan says of dead letters, empty for a batch of the source's records. */
  public static Optional<Redrive> of(Plan plan) {
    return Optional.ofNullable(plan.options().get(OPTION)).map(Redrive::new);
  }

  /**
   * Returns which dead letters a batch would take through the job again, if there are any.
   *
   * @param progress is told how many there are
   */
  public static Optional<Redrive> of(
      String reason, String applicationId, TargetTable deadLetters, Consumer<String> progress) {
    Redrive redrive = new Redrive(reason);
    long count = redrive.count(deadLetters, applicationId);
    progress.accept(
        "%,d dead letters of application %s have reason \"%s\""
            .formatted(count, applicationId, reason));
    if (count == 0) {
      return Optional.empty();
    }
    deadLetters.requireRemoval();
    return Optional.of(redrive);
  }

  /** Returns the options of a plan, which says so. */
  public Map<String, String> in(Map<String, String> options) {
    options.put(OPTION, reason);
    return options;
  }

  /**
   * Returns whether a dead letter goes through the job again: one of this reason, of the
   * application, that a record of the source is the origin of.
   */
  public boolean takes(Row deadLetter, String applicationId) {
    return reason.equals(deadLetter.getString("reason"))
        && applicationId.equals(deadLetter.getString("application_id"))
        && deadLetter.getString("topic") != null;
  }

  /** Returns how many dead letters go through the job again. */
  private long count(TargetTable deadLetters, String applicationId) {
    long[] count = {0};
    DeltaRows.read(deadLetters.path())
        .withHadoopConfiguration(deadLetters.hadoopConfiguration())
        .select("reason", "application_id", "topic")
        .forEach(
            row -> {
              if (takes(row, applicationId)) {
                count[0]++;
              }
            });
    return count[0];
  }

  /** Reads and decodes the dead letters of a batch. */
  public PCollection<Event> read(
      Pipeline pipeline, TargetTable deadLetters, Source source, Plan plan, Schema decoded) {
    String applicationId = plan.applicationId();
    PCollection<Row> rows =
        pipeline.apply(
            "ReadDeadLetters",
            DeltaLakeIO.read()
                .from(deadLetters.path())
                .withHadoopConfiguration(deadLetters.hadoopConfiguration()));
    return rows.apply("TakeReason", Filter.by(row -> takes(row, applicationId)))
        .setRowSchema(rows.getSchema())
        .apply("DecodeAgain", ParDo.of(source.decodingAgain(plan, decoded)))
        .setCoder(EventCoder.of(source.rowSchema(decoded)));
  }
}
