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
package dev.idem.io.delta;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.delta.table.DeltaRecord;
import java.util.Collections;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.beam.sdk.transforms.windowing.IntervalWindow;

/**
 * The windows of one lane that a table holds, with the hashes of their rows. Those with the
 * greatest numbers are remembered, in whatever order they were committed.
 *
 * @param contents the hashes of the remembered windows by their numbers
 * @param floor the greatest number of a window that was forgotten, {@link Long#MIN_VALUE} if none
 */
record CommittedWindows(NavigableMap<Long, String> contents, long floor) {

  static final CommittedWindows NONE = new CommittedWindows(new TreeMap<>(), Long.MIN_VALUE);

  /** How many are remembered of a lane. */
  static final int REMEMBERED = 256;

  private static final JsonMapper JSON = new JsonMapper();

  /** Returns the hash of a window's rows, if the window is remembered. */
  Optional<String> content(long index) {
    return Optional.ofNullable(contents.get(index));
  }

  /** Returns whether it cannot be told any more if the table holds a window. */
  boolean forgets(long index) {
    return index <= floor && !contents.containsKey(index);
  }

  /** Returns these windows with one more; for it the one with the least number is forgotten. */
  CommittedWindows plus(long index, String content) {
    NavigableMap<Long, String> all = new TreeMap<>(contents);
    long forgotten = floor;
    // Not the new one, even if it is the least: its replay comes soon, if it comes.
    while (all.size() >= REMEMBERED) {
      forgotten = Math.max(forgotten, all.pollFirstEntry().getKey());
    }
    all.put(index, content);
    return new CommittedWindows(Collections.unmodifiableNavigableMap(all), forgotten);
  }

  /** Returns the body of the record of the commit of {@code window}. */
  String body(IntervalWindow window) {
    ObjectNode node = JSON.createObjectNode();
    node.putObject("window")
        .put("start", window.start().toString())
        .put("end", window.end().toString());
    if (floor != Long.MIN_VALUE) {
      node.put("floor", floor);
    }
    ObjectNode windows = node.putObject("windows");
    contents.forEach((index, content) -> windows.put(Long.toString(index), content));
    return node.toString();
  }

  /** Returns the windows of the record that {@link #body} wrote. */
  static CommittedWindows of(DeltaRecord record) {
    JsonNode node;
    try {
      node = JSON.readTree(record.body());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Record of " + record.sink() + " must be JSON.", e);
    }
    NavigableMap<Long, String> contents = new TreeMap<>();
    node.path("windows")
        .fields()
        .forEachRemaining(e -> contents.put(Long.valueOf(e.getKey()), e.getValue().asText()));
    return new CommittedWindows(
        Collections.unmodifiableNavigableMap(contents), node.path("floor").asLong(Long.MIN_VALUE));
  }
}
