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
package dev.idem.pipelines.event;

import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.DoFn;
import org.apache.beam.sdk.transforms.PTransform;
import org.apache.beam.sdk.transforms.ParDo;
import org.apache.beam.sdk.transforms.SerializableFunction;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * Changes the rows of events and leaves all other events as they are. A row for which the function
 * returns null is left out and counted.
 *
 * <pre>{@code
 * events.apply(MapRows.into(schema).via(row -> row.getDouble("amount") > 0 ? row : null))
 * }</pre>
 */
public final class MapRows extends PTransform<PCollection<Event>, PCollection<Event>> {

  private final Schema schema;
  private final SerializableFunction<Row, @Nullable Row> function;

  private MapRows(Schema schema, SerializableFunction<Row, @Nullable Row> function) {
    this.schema = schema;
    this.function = function;
  }

  /** Returns a transform whose rows have {@code schema}; it still needs {@link Into#via}. */
  public static Into into(Schema schema) {
    return new Into(schema);
  }

  /** A {@link MapRows} that lacks its function. */
  public static final class Into {
    private final Schema schema;

    private Into(Schema schema) {
      this.schema = schema;
    }

    /** Sets the function; it must be deterministic. */
    public MapRows via(SerializableFunction<Row, @Nullable Row> function) {
      return new MapRows(schema, function);
    }
  }

  @Override
  public PCollection<Event> expand(PCollection<Event> events) {
    return events.apply("MapRow", ParDo.of(new MapRow(function))).setCoder(EventCoder.of(schema));
  }

  private static final class MapRow extends DoFn<Event, Event> {
    private final SerializableFunction<Row, @Nullable Row> function;

    MapRow(SerializableFunction<Row, @Nullable Row> function) {
      this.function = function;
    }

    @ProcessElement
    public void process(@Element Event event, OutputReceiver<Event> out) {
      if (!event.isRow()) {
        out.output(event);
        return;
      }
      Row mapped = function.apply(event.row());
      out.output(mapped == null ? event.filtered() : event.withRow(mapped));
    }
  }
}
