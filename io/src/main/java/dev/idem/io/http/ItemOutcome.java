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

/** What a server did with one item of a bulk request. */
public sealed interface ItemOutcome {

  /** Returns that the server has the effect. */
  static ItemOutcome written() {
    return new Written();
  }

  /** Returns that the server had the effect before it was asked. */
  static ItemOutcome alreadyWritten() {
    return new AlreadyWritten();
  }

  /** Returns that the server wants to be asked again for this item. */
  static ItemOutcome again(String reason) {
    return new Again(reason);
  }

  /** Returns that the server will never take this item. */
  static ItemOutcome rejected(String errorClass, String message) {
    return new Rejected(errorClass, message);
  }

  /** The server has the effect. */
  record Written() implements ItemOutcome {}

  /** The server had the effect before. */
  record AlreadyWritten() implements ItemOutcome {}

  /** The server wants to be asked again. */
  record Again(String reason) implements ItemOutcome {}

  /** The server will never take the item. */
  record Rejected(String errorClass, String message) implements ItemOutcome {}
}
