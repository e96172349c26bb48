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
import dev.idem.transforms.fingerprint.Fingerprint;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.Predicate;
import org.apache.beam.sdk.coders.RowCoder;
import org.apache.beam.sdk.values.Row;

/** The files that hold the changes of a batch while it is merged: keys first, then changes. */
final class StagedChanges {

  private static final int BUFFER = 1 << 16;

  private final MergeSpec spec;
  private final Storage storage;

  StagedChanges(MergeSpec spec) {
    this.spec = spec;
    this.storage = spec.stagingStorage();
  }

  /** Writes a shard: for each key the hash of its sequence, and its changes. */
  void write(String file, SortedMap<Fingerprint, Integer> keys, List<Row> changes)
      throws IOException {
    RowCoder coder = RowCoder.of(spec.merge().changeSchema());
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(storage.create(file), BUFFER))) {
      KeyFilter.write(keys, out);
      for (Row change : changes) {
        coder.encode(change, out);
      }
    }
  }

  /** Returns which keys there are in shards that follow each other. */
  KeyFilter keys(List<StagedShard> shards) throws IOException {
    List<DataInputStream> streams = new ArrayList<>();
    try {
      for (StagedShard shard : shards) {
        streams.add(open(shard));
      }
      return KeyFilter.read(streams, shards.stream().mapToInt(StagedShard::keys).sum());
    } finally {
      for (DataInputStream stream : streams) {
        stream.close();
      }
    }
  }

  /** Adds the changes of those keys of a shard that are wanted. */
  void read(StagedShard shard, Predicate<Fingerprint> wanted, Map<Fingerprint, List<Row>> changes) {
    RowCoder coder = RowCoder.of(spec.merge().changeSchema());
    try (DataInputStream in = open(shard)) {
      KeyFilter.read(List.of(in), shard.keys());
      for (int i = 0; i < shard.changes(); i++) {
        Row change = coder.decode(in);
        Fingerprint key = spec.merge().keyOfChange(change);
        if (wanted.test(key)) {
          changes.computeIfAbsent(key, any -> new ArrayList<>()).add(change);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "Staged changes must be readable: " + storage.path(shard.file()) + ".", e);
    }
  }

  private DataInputStream open(StagedShard shard) throws IOException {
    return new DataInputStream(
        new BufferedInputStream(Channels.newInputStream(storage.open(shard.file())), BUFFER));
  }
}
