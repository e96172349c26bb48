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
package dev.idem.io.delta.changes;

import java.io.Serializable;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A file to read for the changes of a version.
 *
 * @param ordinal its number among the files of the version
 * @param time when the version was committed, in milliseconds since 1970
 * @param handle by which a scan reads it
 * @param before under {@link Kind#VECTOR}, the same file with the deletion vector that it had
 */
record ChangedFile(
    Kind kind, long version, int ordinal, long time, String handle, @Nullable String before)
    implements Serializable {

  enum Kind {
    /** All its rows were added. */
    ADDED,
    /** All its rows were removed. */
    REMOVED,
    /** It says of each row how it was changed. */
    CHANGE_DATA,
    /** Its deletion vector was changed. */
    VECTOR
  }
}
