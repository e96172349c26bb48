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
package dev.idem.io.jdbc;

import org.apache.beam.sdk.values.Row;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * A row as its table takes it.
 *
 * @param carrier what the row came in
 * @param row the row
 * @param values by column
 * @param number its place among the rows of its shard
 * @param delete whether it is a delete
 */
@SuppressWarnings("ArrayRecordComponent") // Compared nowhere.
record StagedRow(Row carrier, Row row, @Nullable Object[] values, long number, boolean delete) {}
