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
package dev.idem.io.delta.kernel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.idem.io.file.Storage;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.beam.sdk.annotations.Internal;

/**
 * What one version's JSON file says, but for the files it adds.
 *
 * @param version the table version
 * @param operation the operation as its writer names it, empty if it does not
 * @param parameters the operation's parameters
 * @param transactions the transaction ids with their versions
 * @param removed the paths of the files it removes, as the log has them
 */
@Internal
public record LogEntry(
    long version,
    String operation,
    Map<String, String> parameters,
    Map<String, Long> transactions,
    List<String> removed) {

  private static final JsonMapper JSON = new JsonMapper();

  static Optional<LogEntry> read(Storage storage, long version) {
    String file = String.format(Locale.ROOT, "_delta_log/%020d.json", version);
    String operation = "";
    Map<String, String> parameters = new HashMap<>();
    Map<String, Long> transactions = new HashMap<>();
    List<String> removed = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(Channels.newReader(storage.open(file), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.startsWith("{\"add\"")) {
          continue;
        }
        JsonNode action = JSON.readTree(line);
        JsonNode remove = action.path("remove");
        if (!remove.isMissingNode()) {
          removed.add(remove.path("path").asText());
        }
        JsonNode txn = action.path("txn");
        if (!txn.isMissingNode()) {
          transactions.put(txn.path("appId").asText(), txn.path("version").asLong());
        }
        JsonNode info = action.path("commitInfo");
        if (!info.isMissingNode()) {
          operation = info.path("operation").asText("");
          info.path("operationParameters")
              .fields()
              .forEachRemaining(e -> parameters.put(e.getKey(), e.getValue().asText()));
        }
      }
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return Optional.of(
        new LogEntry(
            version,
            operation,
            Map.copyOf(parameters),
            Map.copyOf(transactions),
            List.copyOf(removed)));
  }
}
