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
package dev.idem.io.debezium;

import java.time.Duration;
import org.checkerframework.checker.nullness.qual.Nullable;

/** The one place that words what can go wrong with a schema registry. */
final class RegistryErrors {
  private RegistryErrors() {}

  /** The URL is not shown: it may hold a password. */
  static IllegalArgumentException notUrl() {
    return new IllegalArgumentException(
        "URL of a schema registry must be http or https with a host and no user, but was: another one (not shown). Give the credentials by withBasicAuth or withBearerToken.");
  }

  static IllegalArgumentException literalSecret() {
    return new IllegalArgumentException(
        "Secret of a schema registry must be given as a reference, but was: a literal (not shown). Use ${file:PATH} or ${env:NAME}.");
  }

  static IllegalArgumentException noAttempts(int attempts) {
    return new IllegalArgumentException(
        "Attempts must be 1 or more, but was: %d. Leave it at 5.".formatted(attempts));
  }

  static IllegalArgumentException noTime(Duration timeout) {
    return new IllegalArgumentException(
        "Timeout must be greater than zero, but was: %s. Leave it at 10 seconds."
            .formatted(timeout));
  }

  static SchemaRegistryException refused(String url, String path, int status) {
    return new SchemaRegistryException(
        "Schema registry must accept the client, but was: \"%s\" answered %d to GET %s. Check the user or token and what it may read."
            .formatted(url, status, path),
        url,
        status,
        null);
  }

  static SchemaRegistryException unexpected(String url, String path, int status) {
    return new SchemaRegistryException(
        "Schema registry must answer with a schema, but was: \"%s\" answered %d to GET %s, and no schema. Check that the URL is that of the registry's API."
            .formatted(url, status, path),
        url,
        status,
        null);
  }

  static SchemaRegistryException unavailable(
      String url, String path, int attempts, int status, @Nullable Throwable cause) {
    return new SchemaRegistryException(
        "Schema registry must answer GET %s, but was: \"%s\" %s in each of %d attempts. Check the address, the network and that it runs."
            .formatted(
                path,
                url,
                status == 0 ? "gave no answer (" + reason(cause) + ")" : "answered " + status,
                attempts),
        url,
        status,
        cause);
  }

  private static String reason(@Nullable Throwable cause) {
    return cause == null ? "" : cause.getClass().getSimpleName();
  }

  static SchemaRegistryException interrupted(String url, String path, Throwable cause) {
    return new SchemaRegistryException(
        "Schema registry must answer GET %s before the thread is interrupted, but was: \"%s\" did not. Run it again."
            .formatted(path, url),
        url,
        0,
        cause);
  }

  static SchemaRegistryException noSecret(String url, String name) {
    return new SchemaRegistryException(
        "Secret of schema registry \"%s\" must refer to a variable that is set or a file that can be read, but was: \"%s\". Provide it on every worker."
            .formatted(url, name),
        url,
        0,
        null);
  }
}
