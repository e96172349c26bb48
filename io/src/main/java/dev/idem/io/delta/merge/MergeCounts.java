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
package dev.idem.io.delta.merge;

import java.io.Serializable;

/**
 * What a merge did.
 *
 * @param upserted keys that got another row, or with history other versions
 * @param deleted keys that have no row any more, or with history no current one
 * @param stale changes that said nothing that was not known
 * @param ties changes that differed from another one of their key at the same sequence
 * @param folded rows of a key beside the one that a key has, appended by somebody else, that were
 *     merged with it
 * @param suspectedLate keys that got a row by changes so old that a delete of theirs may be kept no
 *     more: there was nothing of the key, and deletes of their time were removed after the
 *     retention
 */
public record MergeCounts(
    long upserted, long deleted, long stale, long ties, long folded, long suspectedLate)
    implements Serializable {

  static final MergeCounts NONE = new MergeCounts(0, 0, 0, 0, 0, 0);

  MergeCounts plus(MergeCounts other) {
    return new MergeCounts(
        upserted + other.upserted,
        deleted + other.deleted,
        stale + other.stale,
        ties + other.ties,
        folded + other.folded,
        suspectedLate + other.suspectedLate);
  }
}
