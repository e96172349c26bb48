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
 * Delta Lake tables in Beam pipelines: reads, and writes of batches and windows that may be
 * repeated. {@link dev.idem.io.delta.DeltaLakeIO} is where to begin; the public classes are public
 * API.
 *
 * <p>The packages below, each of which uses only those after it: {@code changes} and {@code
 * maintenance}, which do not know each other, {@code table}, {@code file}, {@code schema} and
 * {@code error}. Only {@code kernel}, the adapter to Delta Kernel, is used from all that look at a
 * log.
 */
package dev.idem.io.delta;
