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

import dev.idem.pipelines.decode.Decoded;
import dev.idem.pipelines.decode.Decoded.Reason;
import dev.idem.pipelines.decode.JsonRowDecoder;
import dev.idem.pipelines.decode.JsonRowDecoder.UnknownFields;
import dev.idem.pipelines.decode.JsonSchemaInference;
import dev.idem.pipelines.event.Event;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.KV;

/**
 * One JSON object a record, which is a row.
 *
 * @param unknownFields what becomes of fields that the schema does not name
 */
record JsonRecords(UnknownFields unknownFields) implements RecordFormat {

  @Override
  public Map<String, String> boundOptions() {
    return Map.of("format", "json");
  }

  @Override
  public Map<String, String> contentOptions() {
    return Map.of("unknownFields", unknownFields.name().toLowerCase(Locale.ROOT).replace('_', '-'));
  }

  @Override
  public Optional<Schema> infer(List<KV<byte[], byte[]>> sample) {
    JsonSchemaInference inference = new JsonSchemaInference();
    sample.stream().map(KV::getValue).filter(value -> value != null).forEach(inference::add);
    return inference.parsed() == 0 ? Optional.empty() : Optional.of(inference.schema());
  }

  @Override
  public Decoder decoder(Schema schema) {
    return new Objects(JsonRowDecoder.of(schema).withUnknownFields(unknownFields));
  }

  private record Objects(JsonRowDecoder decoder) implements Decoder {
    @Override
    public Schema schema() {
      return decoder.schema();
    }

    @Override
    public List<Event> decode(Event.Origin record) {
      return List.of(event(record));
    }

    private Event event(Event.Origin record) {
      if (record.value() == null) {
        return Event.refused(
            record, new Decoded.Refused(Reason.NULL_VALUE, null, "A record must have a value."));
      }
      Decoded decoded = decoder.decode(record.value());
      return decoded instanceof Decoded.Refused refused
          ? Event.refused(record, refused)
          : Event.decoded(record, ((Decoded.AsRow) decoded).row());
    }
  }
}
