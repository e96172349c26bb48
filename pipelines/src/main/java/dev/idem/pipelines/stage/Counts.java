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
package dev.idem.pipelines.stage;

/** The names of the counts in a batch's summary. */
public final class Counts {
  /** Records read from the source. */
  public static final String READ = "read";

  /** Rows handed to the targets. */
  public static final String ROWS = "rows";

  /** Copies that were dropped. */
  public static final String DUPLICATES = "duplicates";

  /** Rows older than the watermark. */
  public static final String LATE = "late";

  /** Rows whose key is remembered with other content. */
  public static final String CONFLICTS = "conflicts";

  /** Records that could not be decoded or keyed. */
  public static final String INVALID = "invalid";

  /** Rows that a target refused. */
  public static final String REJECTED = "rejected";

  /** Rows that a transform left out. */
  public static final String FILTERED = "filtered";

  /** Rows too far ahead of the clock to move the watermark. */
  public static final String FUTURE = "future";

  /** Keys that changes gave another row. */
  public static final String UPSERTED = "upserted";

  /** Keys that changes took the row of. */
  public static final String DELETED = "deleted";

  /** Changes that said nothing that was not known. */
  public static final String STALE = "stale";

  /** Changes that differed from another one of their key at the same sequence. */
  public static final String TIES = "ties";

  /** Rows that somebody else had added to a key that has one. */
  public static final String FOLDED = "folded";

  /** Keys that got a row by changes so old that a delete of theirs may be forgotten. */
  public static final String SUSPECTED_LATE = "suspectedLate";

  /** Offsets that the source did not have any more. */
  public static final String LOST = "lost";

  private Counts() {}
}
