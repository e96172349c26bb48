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
package dev.idem.io.http;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;

/** A record that is sent. */
record Note(String id, long version, String text) implements Serializable {

  static Note of(int id) {
    return new Note("n" + id, 1, "text " + id);
  }

  static List<Note> of(int from, int to) {
    return IntStream.range(from, to).mapToObj(Note::of).toList();
  }

  byte[] body() {
    return (id + " " + version + " " + text).getBytes(StandardCharsets.UTF_8);
  }
}
