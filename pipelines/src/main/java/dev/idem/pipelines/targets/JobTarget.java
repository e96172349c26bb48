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
package dev.idem.pipelines.targets;

import java.util.Optional;

/**
 * Something that a job writes to: a {@link DeltaTarget}, a {@link JdbcTarget}, a {@link
 * KafkaTarget} or an {@link HttpTarget}.
 */
public sealed interface JobTarget permits DeltaTarget, HttpTarget, JdbcTarget, KafkaTarget {

  /** Returns what names the target within the job. */
  String name();

  /** Returns where it is: no two targets of a job are at one place. */
  String place();

  /** Returns what the rows mean to it, as text, empty if it takes them as they are. */
  Optional<String> rules();
}
