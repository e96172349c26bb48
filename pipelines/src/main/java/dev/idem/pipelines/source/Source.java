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
package dev.idem.pipelines.source;

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.debezium.SourcePositions;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.failure.JobRefusedException;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Where a job reads: something with offsets, from which the same ranges can be read again. */
public interface Source {

  /** The prefix of the options of a plan that {@link Session#readBy} gave. */
  String READ_BY = "read by:";

  /** Returns the names of what is read, sorted; they are part of a job's default application id. */
  List<String> names();

  /** Returns the options that a checkpoint is bound to: with others its batches mean other rows. */
  Map<String, String> boundOptions();

  /** Returns the further options that decide the content of a batch. */
  Map<String, String> contentOptions();

  /** Returns the schema of the decoded records that the user gave, null if it is inferred. */
  @Nullable Schema givenSchema();

  /** Connects to the source, for planning. */
  Session connect();

  /**
   * Returns the schema of the events' rows.
   *
   * @param decoded the schema of the decoded records, as {@link Session#schema} gave it
   */
  Schema rowSchema(Schema decoded);

  /**
   * Returns whether the same ranges hold the same records whenever they are read. If they may not,
   * a batch that some targets hold is completed with what is read then, and the batch's commit says
   * that its content changed; that is right only if the targets come to the same in the end.
   */
  default boolean isRepeatable() {
    return true;
  }

  /** Returns a range as a user reads it. */
  default String describe(Plan.Range range) {
    return "%s-%d: offsets %d to %d, %d records at most"
        .formatted(range.topic(), range.partition(), range.start(), range.end(), range.size());
  }

  /** Reads and decodes the ranges of a plan. */
  PCollection<Event> read(Pipeline pipeline, Plan plan, Schema decoded);

  /**
   * Returns what decodes rows of the dead-letter table, each as the record of the source that it
   * was. It is asked for before a batch of them is planned, which could not be ended without.
   *
   * @throws IllegalArgumentException if dead letters do not hold the source's records
   */
  default DoFn<Row, Event> decodingAgain(Plan plan, Schema decoded) {
    throw SourceErrors.notRedriven(names());
  }

  /**
   * Decides whether the positions in the source's own log that a batch found may follow those of
   * the batches before; a source that is no copy of a log finds none.
   *
   * @param before what this returned for the batch before; empty text if there was none
   * @param found the positions of the batch
   * @param notes takes what the batch's commit has to say of them
   * @return what the next batch has to know
   * @throws JobRefusedException if they may not
   */
  default String follow(String before, SourcePositions found, BiConsumer<String, String> notes) {
    return before;
  }

  /** A connection of the driver's to the source. */
  interface Session extends AutoCloseable {

    /** Returns what the source is, for example the cluster's id and each topic's. */
    Map<String, String> identity();

    /** Returns the offset after the last readable record, of each partition, as it is now. */
    List<Position> limits();

    /** Returns where the first batch begins, for each of these partitions. */
    List<Position> starts(List<Position> limits);

    /**
     * Returns whether {@link #starts} gives other offsets as records come in, so that its first
     * answer has to be kept until a batch is planned.
     */
    default boolean startsMove() {
      return false;
    }

    /** Returns the first offset that the source still has, of each partition. */
    List<Position> earliest(List<Position> partitions);

    /**
     * Returns the next batch's part of what is unread: the same partitions, each from where it
     * starts, together about {@code maxRecords} records at most. A single offset is never split.
     */
    default List<Plan.Range> next(List<Plan.Range> unread, long maxRecords) {
      return RangeSharing.next(unread, maxRecords);
    }

    /** Returns how many records ranges hold, at most or about. */
    default long records(List<Plan.Range> ranges) {
      return ranges.stream().mapToLong(Plan.Range::size).sum();
    }

    /**
     * Returns the schema of the records of ranges if it is another one than that of the batch
     * before. A source whose schema is given or was inferred has one for ever.
     */
    default Optional<Schema> changedSchema(List<Plan.Range> ranges, Schema before) {
      return Optional.empty();
    }

    /**
     * Returns what the plan of a batch has to keep beside the ranges, so that they are read the
     * same way at every attempt; the plan's options have it behind {@link Source#READ_BY}.
     */
    default Map<String, String> readBy(List<Plan.Range> ranges) {
      return Map.of();
    }

    /** Returns what is to be told of ranges beside their records, such as what is left out. */
    default Map<String, String> notes(List<Plan.Range> ranges) {
      return Map.of();
    }

    /** Returns the refusal to begin anew behind the first offset that was ever read. */
    default JobRefusedException historyGone(Position start, long first) {
      return SourceErrors.historyGone(
          "partition " + start.topic() + "-" + start.partition(), "offset", start.offset(), first);
    }

    /** Returns the refusal to go on without what lies before the first offset that is left. */
    default JobRefusedException outOfRetention(Position earliest, long wanted) {
      return SourceErrors.outOfRetention(earliest, wanted);
    }

    /**
     * Refuses to go on if the source is not the one that a plan was made for, or has lost records
     * that it had.
     */
    void verify(Plan last, List<Position> limits);

    /**
     * Returns the schema of the decoded records. It may be inferred, from records of the first
     * batch or, if its ranges hold none, of those up to the limits; without any it is empty.
     */
    Optional<Schema> schema(List<Plan.Range> first, List<Position> limits) throws IOException;

    @Override
    void close();
  }

  /**
   * An offset in a partition.
   *
   * @param leaderEpoch the leader epoch of the record before the offset, or -1 if unknown
   */
  record Position(String topic, int partition, long offset, int leaderEpoch) {}
}
