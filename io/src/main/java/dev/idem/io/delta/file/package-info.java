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
/**
 * Rows to Parquet files and back, without a table's log: the files, the partition values they are
 * filed under, and predicates on those. Public API are {@link dev.idem.io.delta.file.DataFile},
 * {@link dev.idem.io.delta.file.DataFileSpec}, {@link dev.idem.io.delta.file.DataFileWriter} and
 * {@link dev.idem.io.delta.file.PartitionPredicate}. The rest is internal: it may change in any
 * release.
 */
package dev.idem.io.delta.file;
