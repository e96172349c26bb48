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
 * The batch loop: a {@link dev.idem.pipelines.job.Job} agrees with its targets where it goes on,
 * plans batch after batch ({@link dev.idem.pipelines.plan}), runs each one's pipeline from the
 * source's events to files ({@link dev.idem.pipelines.stage}) and commits it to every target. The
 * job and its options are public API; the other classes are internal and may change in any release.
 */
package dev.idem.pipelines.job;
