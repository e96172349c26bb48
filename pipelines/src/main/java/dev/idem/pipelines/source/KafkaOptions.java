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

import dev.idem.pipelines.decode.JsonRowDecoder.UnknownFields;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which topics a command reads, and how their records become rows. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class KafkaOptions {

  @Mixin private KafkaClusterOptions cluster;

  @Option(names = "--topics", required = true, split = ",", paramLabel = "TOPIC,..")
  private List<String> topics;

  @Option(
      names = "--startingOffsets",
      paramLabel = "earliest|latest|timestamp:ISO",
      defaultValue = "earliest",
      description = "Where the first batch begins; latest is the end that the first start finds.")
  private String startingOffsets;

  @Option(
      names = "--format",
      paramLabel = "json",
      defaultValue = "json",
      description = "What the records are; cdc-to-delta also takes debezium.")
  private String format;

  @Option(
      names = "--schema",
      paramLabel = "FILE|inferred",
      defaultValue = "inferred",
      description = "Delta schema JSON, or inferred from the first batch's records.")
  private String schema;

  @Option(
      names = "--unknownFields",
      paramLabel = "dead-letter|ignore|fail",
      defaultValue = "dead-letter",
      description = "What becomes of fields that the schema does not name.")
  private String unknownFields;

  @Option(
      names = "--eventTime",
      paramLabel = "COLUMN",
      description = "The event time; default the record's timestamp.")
  private @Nullable String eventTime;

  @Option(
      names = "--metadataColumns",
      split = ",",
      paramLabel = "topic,partition,offset,timestamp,key,headers,batch_id",
      description = "Columns that say where a row came from.")
  private List<String> metadataColumns = new ArrayList<>();

  /** Returns what the records are, as it was given. */
  public String format() {
    return format;
  }

  /** Returns the source that the options name, of rows in JSON. */
  public KafkaSource source() throws IOException {
    if (!format.equals("json")) {
      throw new IllegalArgumentException("--format must be json, but was: \"" + format + "\".");
    }
    return source(new JsonRecords(unknownFields()));
  }

  KafkaSource source(RecordFormat records) throws IOException {
    KafkaSource source =
        topics()
            .withStartingOffsets(startingOffsets)
            .withFormat(records)
            .withMetadataColumns(metadataColumns.toArray(String[]::new));
    if (eventTime != null) {
      source = source.withEventTime(eventTime);
    }
    return schema.equals("inferred")
        ? source
        : source.withDeltaSchema(Files.readString(Path.of(schema)));
  }

  /** Returns whole topics, whatever their records are. */
  KafkaSource topics() {
    return KafkaSource.topics(cluster.config(), topics.toArray(String[]::new));
  }

  boolean hasMetadataColumns() {
    return !metadataColumns.isEmpty();
  }

  UnknownFields unknownFields() {
    try {
      return UnknownFields.valueOf(unknownFields.toUpperCase(Locale.ROOT).replace('-', '_'));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "--unknownFields must be dead-letter, ignore or fail, but was: \""
              + unknownFields
              + "\".",
          e);
    }
  }
}
