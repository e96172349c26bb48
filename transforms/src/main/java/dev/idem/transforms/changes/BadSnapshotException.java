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
package dev.idem.transforms.changes;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.beam.sdk.values.Row;

/** Thrown when rows of a snapshot cannot be told apart, so that none is known to be gone. */
public final class BadSnapshotException extends RuntimeException {
  private BadSnapshotException(String message) {
    super(message);
  }

  static BadSnapshotException nullKey(String column, Row row) {
    return new BadSnapshotException(
        "Key column \"%s\" of a snapshot must not be null, but was: null in %s. Choose a key that every row has, or leave such rows out."
            .formatted(column, row.getValues()));
  }

  static BadSnapshotException keyTwice(List<String> keys, Row row) {
    Map<String, Object> key = new LinkedHashMap<>();
    keys.forEach(column -> key.put(column, row.getValue(column)));
    return new BadSnapshotException(
        "Key of a snapshot must be there once, but was: %s with different rows. Add the column that tells them apart to the key."
            .formatted(key));
  }
}
