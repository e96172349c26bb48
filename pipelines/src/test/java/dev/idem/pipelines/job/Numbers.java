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

import dev.idem.io.checkpoint.Plan;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.pipelines.event.Event;
import dev.idem.pipelines.event.EventCoder;
import dev.idem.pipelines.source.Source;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/** A source of one partition whose records are numbers: the offset of each is the number itself. */
final class Numbers implements Source {

  static final Schema SCHEMA = Schema.builder().addInt64Field("id").build();

  private final AtomicReference<Long> end = new AtomicReference<>(0L);
  private Runnable asked = () -> {};
  private boolean latest;

  /** Returns the numbers that a table holds, in order. */
  static List<Long> in(Path table) {
    return DeltaRows.read(table.toString()).toList().stream()
        .map(row -> row.getInt64("id"))
        .sorted()
        .toList();
  }

  /** Makes the source hold the numbers below {@code numbers}. */
  Numbers holding(long numbers) {
    end.set(numbers);
    return this;
  }

  /** Makes a first batch begin behind the numbers that the source holds. */
  Numbers fromLatest() {
    latest = true;
    return this;
  }

  /** Does something whenever the source is asked how far it reaches, before it answers. */
  Numbers whenAsked(Runnable action) {
    asked = action;
    return this;
  }

  @Override
  public List<String> names() {
    return List.of("numbers");
  }

  @Override
  public Map<String, String> boundOptions() {
    return Map.of("format", "number");
  }

  @Override
  public Map<String, String> contentOptions() {
    return Map.of();
  }

  @Override
  public @Nullable Schema givenSchema() {
    return SCHEMA;
  }

  @Override
  public Schema rowSchema(Schema decoded) {
    return decoded;
  }

  @Override
  public PCollection<Event> read(Pipeline pipeline, Plan plan, Schema decoded) {
    List<Event> events = new ArrayList<>();
    for (Plan.Range range : plan.ranges()) {
      for (long offset = range.start(); offset < range.end(); offset++) {
        events.add(Event.of(Row.withSchema(SCHEMA).addValue(offset).build()));
      }
    }
    return pipeline.apply("ReadNumbers", Create.of(events).withCoder(EventCoder.of(SCHEMA)));
  }

  @Override
  public Session connect() {
    return new Session() {
      @Override
      public Map<String, String> identity() {
        return Map.of("numbers", "natural");
      }

      @Override
      public List<Position> limits() {
        asked.run();
        return List.of(new Position("numbers", 0, end.get(), -1));
      }

      @Override
      public List<Position> starts(List<Position> limits) {
        return latest ? limits : earliest(limits);
      }

      @Override
      public boolean startsMove() {
        return latest;
      }

      @Override
      public List<Position> earliest(List<Position> partitions) {
        return partitions.isEmpty() ? List.of() : List.of(new Position("numbers", 0, 0, -1));
      }

      @Override
      public void verify(Plan last, List<Position> limits) {
        // Numbers are never lost.
      }

      @Override
      public Optional<Schema> schema(List<Plan.Range> first, List<Position> limits) {
        return Optional.of(SCHEMA);
      }

      @Override
      public void close() {
        // Nothing is open.
      }
    };
  }
}
