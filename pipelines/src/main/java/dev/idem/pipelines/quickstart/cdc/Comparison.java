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
package dev.idem.pipelines.quickstart.cdc;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Rows of a table, held against those of the table that was captured, column by column.
 *
 * @param rows how many there are
 * @param equal how many different rows of the captured table are there
 * @param missing how many rows of the captured table are not there
 * @param extra rows that the captured table does not have
 * @param duplicates rows that are there already
 */
record Comparison(long rows, long equal, long missing, long extra, long duplicates) {

  static Comparison of(Map<Long, Account> captured, Collection<Account> found) {
    Map<Long, Account> missing = new HashMap<>(captured);
    long extra = 0;
    long duplicates = 0;
    for (Account account : found) {
      if (missing.remove(account.id(), account)) {
        continue;
      }
      if (account.equals(captured.get(account.id()))) {
        duplicates++;
      } else {
        extra++;
      }
    }
    return new Comparison(
        found.size(), captured.size() - missing.size(), missing.size(), extra, duplicates);
  }
}
