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

import java.io.Serializable;
import java.util.Map;
import org.checkerframework.checker.nullness.qual.Nullable;

/** How events are written as bytes. Structs come as {@link Envelope} takes them. */
interface EventFormat extends Serializable {

  /** Returns the struct that a key or a value is, null if it is null inside its bytes. */
  @Nullable Map<String, Object> read(byte[] bytes) throws BadEventException;

  /** Returns the schema of such a struct, null if the bytes do not lead to one. */
  @Nullable ConnectSchema schema(byte[] bytes) throws BadEventException;
}
