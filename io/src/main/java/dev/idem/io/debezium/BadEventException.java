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

import dev.idem.io.debezium.DecodedEvent.Reason;

/** A record is no event that can be understood; becomes a {@link DecodedEvent.Refused}. */
final class BadEventException extends Exception {
  private static final long serialVersionUID = 1L;

  private final Reason reason;
  private final String path;
  private final String rule;

  private BadEventException(Reason reason, String path, String rule) {
    // It is thrown where a value is found bad, and caught in this package: nobody reads a trace.
    super(rule, null, false, false);
    this.reason = reason;
    this.path = path;
    this.rule = rule;
  }

  static BadEventException parse(String path, String rule) {
    return new BadEventException(Reason.PARSE_ERROR, path, rule);
  }

  static BadEventException missing(String path, String rule) {
    return new BadEventException(Reason.MISSING_FIELD, path, rule);
  }

  static BadEventException nullKey(String column, String rule) {
    return new BadEventException(Reason.NULL_KEY, column, rule);
  }

  /** Returns this as it is seen from what the value is a part of. */
  BadEventException in(String part) {
    return new BadEventException(reason, path.isEmpty() ? part : part + "." + path, rule);
  }

  DecodedEvent.Refused refused() {
    return new DecodedEvent.Refused(reason, path.isEmpty() ? null : path, rule);
  }
}
