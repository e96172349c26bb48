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
package dev.idem.io.delta.merge;

import dev.idem.io.file.Storage;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;

/** A file of the rows that were found of a group's keys, for planning again. */
final class FoundRows {

  private FoundRows() {}

  static void write(MergeSpec spec, String file, List<HeldRow> rows) throws IOException {
    HeldRowCoder coder = new HeldRowCoder(spec.merge());
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(spec.stagingStorage().create(file)))) {
      out.writeInt(rows.size());
      for (HeldRow row : rows) {
        coder.encode(row, out);
      }
    }
  }

  static List<HeldRow> read(MergeSpec spec, String file) throws IOException {
    HeldRowCoder coder = new HeldRowCoder(spec.merge());
    Storage storage = spec.stagingStorage();
    List<HeldRow> rows = new ArrayList<>();
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Channels.newInputStream(storage.open(file))))) {
      for (int left = in.readInt(); left > 0; left--) {
        rows.add(coder.decode(in));
      }
    }
    return rows;
  }
}
