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
package dev.idem.pipelines.decode;

import java.io.Serializable;
import org.apache.beam.sdk.schemas.Schema;

/**
 * Turns the bytes of one record into a row, or says why they are none.
 *
 * <p>An implementation is deterministic: the same bytes give the same answer at every attempt. It
 * must not throw for bad bytes; {@link Decoded.Refused} is what becomes a dead letter.
 */
public interface RowDecoder extends Serializable {

  /** Returns the schema of the rows. */
  Schema schema();

  /** Decodes one value. */
  Decoded decode(byte[] value);
}
