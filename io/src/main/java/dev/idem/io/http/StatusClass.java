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

/** What a status of an answer means for the record that was sent. */
public enum StatusClass {
  /** The server has the effect. */
  WRITTEN,
  /** The server had the effect before it was asked. */
  ALREADY_WRITTEN,
  /**
   * The server is busy with an earlier request of the same key: it is asked again, with the same
   * key, and no later record of the record's key before it.
   */
  RUNNING,
  /** The server cannot now: it is asked again, with the same key, as late as it says. */
  RETRY,
  /** The server will never take this record: it becomes a dead letter. */
  REJECTED,
  /** The server would answer the same to any record: the pipeline fails. */
  CONFIGURATION
}
