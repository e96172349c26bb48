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
package dev.idem.transforms.changes;

import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;
import org.joda.time.Instant;

/**
 * What an unbounded pipeline remembers of a key: its guarded row, or key and sequence of its
 * delete.
 *
 * @param live the row with its guard, or null if the key was deleted last
 * @param deleted key and sequence of the delete, or null if the key has a row
 * @param latest the greatest event time of the key's changes
 */
record RememberedKey(@Nullable Row live, @Nullable Row deleted, Instant latest) {}
