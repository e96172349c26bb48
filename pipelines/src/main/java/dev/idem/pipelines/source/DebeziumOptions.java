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
import dev.idem.io.debezium.DebeziumDecoder.UnknownColumns;
import dev.idem.io.debezium.DebeziumInference;
import dev.idem.io.debezium.SchemaRegistry;
import dev.idem.pipelines.changes.ChangesOptions;
import dev.idem.pipelines.source.DebeziumRecords.OnEarlierPosition;
import dev.idem.transforms.changes.ApplyChanges;
import java.io.IOException;
import java.nio.file.Path;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.values.KV;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** How change events of Debezium are read. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class DebeziumOptions {

  @ArgGroup(exclusive = false, heading = "With --format=debezium:%n")
  private Given given = new Given();

  private static final class Given {
    @Option(
        names = "--connector",
        paramLabel = "NAME",
        description = "Debezium's connector, such as postgresql; default as events say.")
    private @Nullable String connector;

    @Option(
        names = "--schemaRegistry",
        paramLabel = "URL",
        description = "Events are in Avro, and their schemas there; default JSON.")
    private @Nullable String registry;

    @Option(
        names = "--schemaRegistryUser",
        paramLabel = "NAME",
        description = "Who asks the registry; without a name a secret is a token.")
    private @Nullable String registryUser;

    @Option(
        names = "--schemaRegistrySecretFile",
        paramLabel = "FILE",
        description = "Holds the password, or the token.")
    private @Nullable Path registrySecret;

    @Option(
        names = "--timestampUnit",
        paramLabel = "seconds|millis|micros|nanos",
        description = "What timestamps count that come as numbers without a schema.")
    private @Nullable ChronoUnit unit;

    @Option(
        names = "--decimalsAsText",
        description = "Decimals without a schema are text (decimal.handling.mode=string).")
    private boolean decimalsAsText;

    @Option(
        names = "--truncateNanoseconds",
        description = "Cut timestamps to microseconds; default such an event is a dead letter.")
    private boolean truncateNanoseconds;

    @Option(
        names = "--acceptIncompleteRows",
        description =
            "Take an event that begins a row without a value that the source did not send.")
    private boolean incompleteRows;

    @Option(
        names = "--unavailableValue",
        paramLabel = "TEXT",
        description = "What the connector sends for such a value, if it was configured.")
    private @Nullable String unavailableValue;

    @Option(
        names = "--onEarlierPosition",
        paramLabel = "refuse|continue",
        defaultValue = "refuse",
        description = "What a source's log that goes back does, as after a failover.")
    private OnEarlierPosition onEarlierPosition = OnEarlierPosition.REFUSE;
  }

  /**
   * What a job reads and how it is to be applied.
   *
   * @param own columns of the changes that are none of the table
   */
  public record Capture(KafkaSource source, ApplyChanges changes, List<String> own) {}

  /**
   * Returns what is captured. Keys and connector that are not given are those that the job was
   * begun with, or else those that the first events have.
   *
   * @param options what is given of what changes mean: keys, unless events say them, and columns
   *     that order changes, unless positions in the source's log do
   * @param last the last plan of the job, if it was begun
   */
  public Capture capture(KafkaOptions kafka, ChangesOptions options, Optional<Plan> last)
      throws IOException {
    List<String> keys = options.keys();
    List<String> sequenceBy = options.sequenceBy();
    boolean history = options.keepsHistory();
    if (kafka.hasMetadataColumns()) {
      throw new IllegalArgumentException(
          "--metadataColumns must not be given with --format=debezium, because a change that moves"
              + " a row or carries a part of it has no such columns.");
    }
    SchemaRegistry registry = registry();
    List<String> foundKeys = keys;
    String connector = given.connector == null ? "" : given.connector;
    boolean connectorKnown = !connector.isEmpty() || !sequenceBy.isEmpty();
    if (foundKeys.isEmpty() || !connectorKnown) {
      Optional<Plan> known = last.filter(plan -> plan.options().containsKey(DebeziumRecords.KEYS));
      Found found = known.isPresent() ? found(known.get()) : found(kafka.topics(), registry);
      foundKeys = foundKeys.isEmpty() ? found.keys() : foundKeys;
      connector = connectorKnown ? connector : found.connector();
    }
    DebeziumRecords records =
        new DebeziumRecords(
            registry,
            foundKeys,
            connector,
            sequenceBy,
            new DebeziumRecords.Rules(
                UnknownColumns.valueOf(kafka.unknownFields().name()),
                !history,
                given.incompleteRows,
                given.unit,
                given.decimalsAsText,
                given.truncateNanoseconds,
                given.unavailableValue,
                given.onEarlierPosition));
    return new Capture(kafka.source(records), records.changes(), records.ownColumns());
  }

  private record Found(List<String> keys, String connector) {}

  private static Found found(Plan last) {
    Map<String, String> options = last.options();
    return new Found(
        List.of(options.get(DebeziumRecords.KEYS).split(",")),
        options.get(DebeziumRecords.CONNECTOR));
  }

  private static Found found(KafkaSource topics, @Nullable SchemaRegistry registry)
      throws IOException {
    DebeziumInference inference = DebeziumRecords.inference(registry);
    for (KV<byte[], byte[]> record : topics.sample()) {
      inference.add(record.getKey(), record.getValue());
    }
    if (inference.parsed() == 0) {
      throw SourceErrors.nothingToInfer(topics.names());
    }
    return new Found(inference.table().keys(), inference.table().connector());
  }

  private @Nullable SchemaRegistry registry() {
    if (given.registry == null) {
      return null;
    }
    SchemaRegistry registry = SchemaRegistry.at(given.registry);
    if (given.registrySecret == null) {
      return registry;
    }
    String secret = "${file:" + given.registrySecret.toAbsolutePath() + "}";
    return given.registryUser == null
        ? registry.withBearerToken(secret)
        : registry.withBasicAuth(given.registryUser, secret);
  }
}
