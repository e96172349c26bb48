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

import dev.idem.io.jdbc.JdbcSink;
import dev.idem.io.jdbc.WriteJdbcRows;
import java.util.Optional;

/**
 * A table of a database that a job writes to, exactly once: the table remembers each batch in the
 * transactions of its rows.
 *
 * <p>A row that the database refuses is a dead letter of the job, with the record it was read from.
 */
public final class JdbcTarget implements JobTarget {

  private final String name;
  private final WriteJdbcRows write;

  private JdbcTarget(String name, WriteJdbcRows write) {
    this.name = name;
    this.write = write;
  }

  /**
   * Returns the table of a write; the job sets application and batch.
   *
   * @param name names the target within the job, for ever: it is part of what the table remembers
   * @param write what is written where, as {@link dev.idem.io.jdbc.JdbcUpsertIO} makes it
   */
  public static JdbcTarget of(String name, WriteJdbcRows write) {
    return new JdbcTarget(TargetNames.requireUsable(name), write);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String place() {
    return write.place();
  }

  @Override
  public Optional<String> rules() {
    return Optional.of(write.rules());
  }

  JdbcSink sink(String applicationId) {
    return JdbcSink.of(write, applicationId + "/" + name);
  }
}
