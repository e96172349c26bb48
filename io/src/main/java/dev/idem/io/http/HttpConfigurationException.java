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

/** What is asked of a server it will not do for any record, so the pipeline fails. */
public final class HttpConfigurationException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int status;

  HttpConfigurationException(String message, int status) {
    super(message);
    this.status = status;
  }

  /** Returns the status of the server's answer, 0 if there was none. */
  public int status() {
    return status;
  }
}
