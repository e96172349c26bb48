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
package dev.idem.io.delta.table;

import org.apache.beam.sdk.annotations.Internal;

/** What names batches to a table, and what may not. */
@Internal
public final class BatchNames {

  private BatchNames() {}

  /** Returns an application id that a table can remember. */
  public static String applicationId(String id) {
    if (id.isBlank() || id.contains("#")) {
      throw new IllegalArgumentException(
          "Application id must be text without \"#\", but was: \""
              + id
              + "\". Choose a name that stays the same over restarts.");
    }
    return id;
  }

  /** Returns a name of a sink that a table can remember. */
  public static String sinkName(String name) {
    if (name.isBlank() || name.contains("#")) {
      throw new IllegalArgumentException(
          "Sink name must be text without \"#\", but was: \"" + name + "\". Name the sink.");
    }
    return name;
  }

  /** Returns a batch id that a table can remember. */
  public static long batch(long id) {
    if (id < 0) {
      throw new IllegalArgumentException(
          "Batch id must not be negative, but was: " + id + ". Count from 0.");
    }
    return id;
  }

  /** Returns a plan fingerprint by which a batch is told from another one. */
  public static String planFingerprint(String fingerprint) {
    if (fingerprint.isBlank()) {
      throw new IllegalArgumentException(
          "Plan fingerprint must not be blank, but was: \"\". Leave it out to use the content.");
    }
    return fingerprint;
  }
}
