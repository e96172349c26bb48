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

import dev.idem.io.file.Storage;
import io.delta.kernel.internal.actions.DeletionVectorDescriptor;
import io.delta.kernel.internal.deletionvectors.Base85Codec;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32;

/** A new file of deletion vectors of a table, published when they are all in it. */
final class DeletionVectorFile {

  private static final int VERSION = 1;

  private final UUID id = UUID.randomUUID();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

  DeletionVectorFile() {
    bytes.write(VERSION);
  }

  /** Adds a vector and returns what the log says of it. */
  DeletionVectorDescriptor add(DeletedRows rows) throws IOException {
    byte[] vector = rows.serialize();
    CRC32 checksum = new CRC32();
    checksum.update(vector);
    int offset = bytes.size();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(vector.length);
    out.write(vector);
    out.writeInt((int) checksum.getValue());
    return new DeletionVectorDescriptor(
        DeletionVectorDescriptor.UUID_DV_MARKER,
        Base85Codec.encodeUUID(id),
        Optional.of(offset),
        vector.length,
        rows.count());
  }

  /** Writes the file, unless no vector is in it; when this returns it survives a power loss. */
  void publish(Storage storage) throws IOException {
    String name = "deletion_vector_" + id + ".bin";
    if (bytes.size() > 1 && !storage.putIfAbsent(name, bytes.toByteArray())) {
      throw new FileAlreadyExistsException(storage.path(name));
    }
  }
}
