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

import dev.idem.io.debezium.SourcePositions;
import dev.idem.pipelines.event.Event;
import java.io.Serializable;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.KV;

/** What the records of topics are, and how they become rows. */
interface RecordFormat extends Serializable {

  /** Returns the options that a checkpoint is bound to. */
  Map<String, String> boundOptions();

  /** Returns the further options that decide what becomes of a record. */
  Map<String, String> contentOptions();

  /**
   * Returns the schema of records, inferred from some of them; empty if none of them can be read.
   *
   * @param sample keys and values, null where a record has none
   */
  Optional<Schema> infer(List<KV<byte[], byte[]>> sample);

  /** Returns what decodes records of a schema, given or inferred. */
  Decoder decoder(Schema schema);

  /**
   * Decides whether the positions in the source's own log that a batch found may follow those of
   * the batches before.
   *
   * @param before what this returned for the batch before; empty text if there was none
   * @param found the positions of the batch
   * @param notes takes what the batch's commit has to say of them
   * @return what the next batch has to know
   */
  default String follow(String before, SourcePositions found, BiConsumer<String, String> notes) {
    return before;
  }

  /**
   * Makes events of records.
   *
   * <p>An implementation is deterministic: the same bytes give the same events at every attempt. It
   * must not throw for bad bytes, of which it makes a dead letter.
   */
  interface Decoder extends Serializable {

    /** Returns the schema of the events' rows. */
    Schema schema();

    /** Returns the events of a record, at least one, so that every record is counted. */
    List<Event> decode(Event.Origin record);
  }
}
