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
package dev.idem.io.checkpoint;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/**
 * The process that holds a lease.
 *
 * @param host the host's name; the system property {@code idem.host} overrides it where several
 *     hosts share one
 * @param pid the process id on that host
 * @param processStart when the process started, by its own host's clock
 * @param run a random id, another for each acquisition
 * @param acquiredAt when the lease was acquired, by its own host's clock; never compared with
 *     another clock
 */
public record LeaseOwner(
    String host, long pid, Instant processStart, String run, Instant acquiredAt)
    implements Serializable {

  /** Returns this process, with a new run id. */
  static LeaseOwner current(Clock clock) {
    ProcessHandle process = ProcessHandle.current();
    return new LeaseOwner(
        hostName(),
        process.pid(),
        process.info().startInstant().orElse(Instant.EPOCH),
        UUID.randomUUID().toString(),
        clock.instant().truncatedTo(ChronoUnit.MILLIS));
  }

  private static String hostName() {
    String given = System.getProperty("idem.host");
    if (given != null && !given.isBlank()) {
      return given;
    }
    Path kernel = Path.of("/proc/sys/kernel/hostname");
    try {
      return Files.isReadable(kernel)
          ? Files.readString(kernel).strip()
          : InetAddress.getLocalHost().getHostName();
    } catch (UnknownHostException e) {
      throw new UncheckedIOException(
          "Host must have a name, but was: unknown. Set the system property idem.host.", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return "process %d on host \"%s\", run %s, since %s".formatted(pid, host, run, acquiredAt);
  }
}
