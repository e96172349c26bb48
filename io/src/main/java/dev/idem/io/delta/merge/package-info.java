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
 * Merges changes into a Delta table by key.
 *
 * <p>{@link dev.idem.io.delta.merge.MergeChanges} is the entry; its steps are: changes are read and
 * staged by shard, the merge is planned on one version of the table, the rows of the batch's keys
 * are found in its files, brought together with the changes and merged, files with rows that leave
 * are written anew or marked, and everything is committed on the version that was planned on, or on
 * a later one after planning again for what has changed since.
 */
package dev.idem.io.delta.merge;
