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

import java.io.Serializable;
import org.checkerframework.checker.nullness.qual.Nullable;

/**
 * What tells one attempt at a batch from all others.
 *
 * @param sink application id and name of the sink
 * @param batch the batch id
 * @param fingerprint of all that decides the batch's rows; null if the rows themselves do
 * @param epoch of the life of the checkpoint; empty if there is none
 * @param lease the number of the lease under which this attempt runs; 0 if there is none
 */
record BatchName(String sink, long batch, @Nullable String fingerprint, String epoch, long lease)
    implements Serializable {}
