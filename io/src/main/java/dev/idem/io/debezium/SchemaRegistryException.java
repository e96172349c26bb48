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

import java.io.Serial;
import org.checkerframework.checker.nullness.qual.Nullable;

/** A schema registry did not answer, or not as it must. */
public final class SchemaRegistryException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final String url;
  private final int status;

  SchemaRegistryException(String message, String url, int status, @Nullable Throwable cause) {
    super(message, cause);
    this.url = url;
    this.status = status;
  }

  /** Returns the registry's URL. */
  public String url() {
    return url;
  }

  /** Returns the status of the answer, 0 if there was none. */
  public int status() {
    return status;
  }
}
