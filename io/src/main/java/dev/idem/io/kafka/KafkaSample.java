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
package dev.idem.io.kafka;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.beam.sdk.io.BoundedSource;
import org.apache.beam.sdk.io.kafka.KafkaRecord;
import org.apache.beam.sdk.values.KV;

/** The first records of given ranges, read on the driver; for example to infer a schema. */
public final class KafkaSample {

  private KafkaSample() {}

  /**
   * Returns keys and values, null where a record has none, of the first records of each range, from
   * each about as many.
   *
   * @param most how many records are read at the most
   */
  public static List<KV<byte[], byte[]>> read(KafkaConfig config, List<KafkaRange> ranges, int most)
      throws IOException {
    List<KV<byte[], byte[]>> values = new ArrayList<>();
    List<KafkaRange> filled = ranges.stream().filter(range -> range.size() > 0).toList();
    for (int i = 0; i < filled.size(); i++) {
      int share = (most - values.size()) / (filled.size() - i);
      KafkaRangeSource source =
          new KafkaRangeSource(config, List.of(filled.get(i)), filled.get(i).size());
      try (BoundedSource.BoundedReader<KafkaRecord<byte[], byte[]>> reader =
          source.createReader(null)) {
        boolean more = share > 0 && reader.start();
        for (int read = 0; more; ) {
          values.add(reader.getCurrent().getKV());
          more = ++read < share && reader.advance();
        }
      }
    }
    return values;
  }
}
