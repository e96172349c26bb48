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

import java.io.Serializable;
import java.util.ArrayList;
import java.util.List;

/**
 * What statuses mean: what a user says, the last rule first, and else the defaults.
 *
 * @param rules what a user says
 */
record StatusTable(List<Rule> rules) implements Serializable {

  private static final int LEAST = 100;
  private static final int MOST = 599;

  /** What a range of statuses means, both ends included. */
  record Rule(int from, int to, StatusClass meaning) implements Serializable {}

  StatusTable {
    rules = List.copyOf(rules);
  }

  StatusTable with(int from, int to, StatusClass meaning) {
    if (from < LEAST || to > MOST || from > to) {
      throw HttpErrors.statusRange(from, to);
    }
    List<Rule> more = new ArrayList<>(rules);
    more.add(0, new Rule(from, to, meaning));
    return new StatusTable(more);
  }

  /**
   * Returns what a status means.
   *
   * @param ownUrls whether records have URLs of their own, so that one may be unknown
   */
  StatusClass meaning(int status, HttpMethod method, boolean ownUrls) {
    for (Rule rule : rules) {
      if (rule.from() <= status && status <= rule.to()) {
        return rule.meaning();
      }
    }
    return switch (status) {
      case 404, 410 -> gone(method, ownUrls);
      case 409 -> StatusClass.RUNNING;
      case 408, 423, 425, 429 -> StatusClass.RETRY;
      case 401, 402, 403, 405, 406, 407, 411, 415, 421, 426, 501, 505, 511 ->
          StatusClass.CONFIGURATION;
      default ->
          switch (status / 100) {
            case 2 -> StatusClass.WRITTEN;
            case 4 -> StatusClass.REJECTED;
            case 5 -> StatusClass.RETRY;
            default -> StatusClass.CONFIGURATION;
          };
    };
  }

  private static StatusClass gone(HttpMethod method, boolean ownUrls) {
    if (!ownUrls) {
      return StatusClass.CONFIGURATION;
    }
    return method == HttpMethod.DELETE ? StatusClass.ALREADY_WRITTEN : StatusClass.REJECTED;
  }
}
