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
 * Makes the batch on a worker.
 *
 * @param shards how many shards are asked for, if it is not opened
 * @param opened what came of opening it before the pipeline ran, null if workers open it
 */
record JdbcBatchFactory(JdbcSpec spec, BatchName name, int shards, JdbcSink.@Nullable Opened opened)
    implements Serializable {

  /** A batch that any worker opens. */
  static JdbcBatchFactory opening(JdbcSpec spec, BatchName name, int shards) {
    return new JdbcBatchFactory(spec, name, shards, null);
  }

  /** A batch that was opened. */
  static JdbcBatchFactory opened(JdbcSpec spec, BatchName name, JdbcSink.Opened opened) {
    return new JdbcBatchFactory(spec, name, opened.shards(), opened);
  }

  JdbcBatch make() {
    return opened == null
        ? new JdbcBatch(spec, name, shards)
        : JdbcBatch.opened(spec, name, opened);
  }
}
