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

import dev.idem.io.http.HttpEffectIO;
import dev.idem.io.http.HttpHeaders;
import dev.idem.io.http.SentLedger;
import dev.idem.io.http.StatusClass;
import dev.idem.io.http.WriteHttpEffects;
import dev.idem.pipelines.targets.HttpTarget;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import picocli.CommandLine.Option;

/** The options of a server that a job sends rows to. */
@SuppressWarnings("UnusedVariable") // picocli sets the fields
public final class HttpTargetOptions {

  @Option(
      names = "--url",
      required = true,
      paramLabel = "URL",
      description =
          "Where to send rows; $${env:NAME} and $${file:PATH} in it are followed on the workers.")
  private String url;

  @Option(
      names = "--method",
      paramLabel = "post|put|patch|delete",
      defaultValue = "post",
      description = "How to send them; delete sends no body.")
  private String method;

  @Option(
      names = "--path",
      paramLabel = "/orders/{COLUMN}",
      description = "What comes after the URL, with the values of columns of the row.")
  private @Nullable String path;

  @Option(
      names = "--key",
      required = true,
      split = ",",
      paramLabel = "COLUMN,..",
      description = "The columns of what a row is about; part of the idempotency key.")
  private List<String> key = new ArrayList<>();

  @Option(
      names = "--sequenceBy",
      split = ",",
      paramLabel = "COLUMN,..",
      description =
          "The columns that order the rows of a key; rows with the same are one effect. Default:"
              + " topic, partition and offset, so that each record is an effect.")
  private List<String> sequenceBy = new ArrayList<>();

  @Option(
      names = "--headers",
      paramLabel = "FILE",
      description = "A properties file of further headers, such as those with credentials.")
  private @Nullable Path headers;

  @Option(
      names = "--keyHeader",
      paramLabel = "NAME",
      defaultValue = WriteHttpEffects.DEFAULT_KEY_HEADER,
      description = "The header with the idempotency key.")
  private String keyHeader;

  @Option(
      names = "--status",
      split = ",",
      paramLabel = "CODE=CLASS,..",
      description =
          "What statuses mean instead: written, already-written, running, retry, rejected,"
              + " configuration.")
  private Map<Integer, String> statuses = new TreeMap<>();

  @Option(
      names = "--ignoredFields",
      split = ",",
      paramLabel = "FIELD,..",
      description = "Fields of the rows that are in no body.")
  private List<String> ignoredFields = new ArrayList<>();

  @Option(
      names = "--maxPerSecond",
      paramLabel = "N",
      description = "How many rows all workers of a process send in a second; default no limit.")
  private @Nullable Long maxPerSecond;

  @Option(
      names = "--connectTimeout",
      paramLabel = "10s",
      defaultValue = "10s",
      converter = JobOptions.DurationConverter.class,
      description = "How long a connection may take.")
  private Duration connectTimeout;

  @Option(
      names = "--requestTimeout",
      paramLabel = "30s",
      defaultValue = "30s",
      converter = JobOptions.DurationConverter.class,
      description = "How long a request may take; what takes longer is sent again.")
  private Duration requestTimeout;

  @Option(
      names = "--ledger",
      paramLabel = "DIR",
      description =
          "Remember requests here, for a server that forgets keys; comes with --keyMemory.")
  private @Nullable String ledger;

  @Option(
      names = "--keyMemory",
      paramLabel = "24h",
      converter = JobOptions.DurationConverter.class,
      description =
          "How long the server remembers a key. A request of unknown outcome that is older is not"
              + " sent again: the row is a dead letter.")
  private @Nullable Duration keyMemory;

  /** Returns the server as a target of rows. */
  public HttpTarget target(String name) {
    WriteHttpEffects<Row> requests =
        requests()
            .withKeyHeader(keyHeader)
            .withTimeouts(joda(connectTimeout), joda(requestTimeout));
    if (headers != null) {
      requests = requests.withHeaders(HttpHeaders.load(headers));
    }
    for (Map.Entry<Integer, String> status : statuses.entrySet()) {
      requests = requests.withStatus(status.getKey(), meaning(status.getValue()));
    }
    if (maxPerSecond != null) {
      requests = requests.withRateLimit(maxPerSecond, org.joda.time.Duration.standardSeconds(1));
    }
    HttpTarget target =
        HttpTarget.of(name, remembering(requests), key.toArray(String[]::new))
            .ignoringFields(ignoredFields.toArray(String[]::new));
    if (!sequenceBy.isEmpty()) {
      target = target.sequencedBy(sequenceBy.toArray(String[]::new));
    }
    if (method.equals("delete")) {
      target = target.withoutBody();
    }
    return path == null ? target : target.withPath(path);
  }

  private WriteHttpEffects<Row> requests() {
    return switch (method) {
      case "post" -> HttpEffectIO.post(url);
      case "put" -> HttpEffectIO.put(url);
      case "patch" -> HttpEffectIO.patch(url);
      case "delete" -> HttpEffectIO.delete(url);
      default ->
          throw new IllegalArgumentException(
              "--method must be post, put, patch or delete, but was: \"" + method + "\".");
    };
  }

  private WriteHttpEffects<Row> remembering(WriteHttpEffects<Row> requests) {
    if ((ledger == null) != (keyMemory == null)) {
      throw new IllegalArgumentException(
          "--ledger must come with --keyMemory, and the other way round.");
    }
    if (ledger == null) {
      return requests;
    }
    Duration longer = keyMemory.multipliedBy(2);
    Duration retention =
        longer.compareTo(SentLedger.DEFAULT_RETENTION) > 0 ? longer : SentLedger.DEFAULT_RETENTION;
    return requests.withLedger(SentLedger.in(ledger, Map.of(), retention), joda(keyMemory));
  }

  private static StatusClass meaning(String label) {
    for (StatusClass meaning : StatusClass.values()) {
      if (meaning.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(label)) {
        return meaning;
      }
    }
    throw new IllegalArgumentException(
        "--status must be CODE=written, already-written, running, retry, rejected or"
            + " configuration, but was: \""
            + label
            + "\".");
  }

  private static org.joda.time.Duration joda(Duration duration) {
    return org.joda.time.Duration.millis(duration.toMillis());
  }
}
