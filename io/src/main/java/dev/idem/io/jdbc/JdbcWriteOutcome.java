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
import org.apache.beam.sdk.coders.Coder;
import org.apache.beam.sdk.coders.SerializableCoder;

/**
 * What came of a batch.
 *
 * @param sink application id and name of the sink
 * @param batch the batch id
 * @param rows how many rows the table took; 0 if it had them
 * @param deadLetters how many rows it will never take; 0 if it had the batch
 * @param alreadyWritten whether the table had the batch
 */
public record JdbcWriteOutcome(
    String sink, long batch, long rows, long deadLetters, boolean alreadyWritten)
    implements Serializable {

  static JdbcWriteOutcome alreadyWritten(BatchName name) {
    return new JdbcWriteOutcome(name.sink(), name.batch(), 0, 0, true);
  }

  static Coder<JdbcWriteOutcome> coder() {
    return SerializableCoder.of(JdbcWriteOutcome.class);
  }
}
