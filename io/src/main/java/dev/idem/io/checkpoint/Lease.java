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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * Files of generation G, in lease/:
 *   G           who holds it, put-if-absent
 *   G.lock      locked for life by the holder: free means dead, on the same host
 *   G.beat      a counter that the holder moves: standing still means dead, on another host, and on
 *               any where the checkpoint is in a storage without locks
 *   G.released  the holder ended in order
 * and "taking", locked by whoever is about to take a lease, so that takers on one host find the
 * winner's name instead of each other's probes. Exclusion does not rest on it: it rests on
 * put-if-absent of the next generation. A storage without locks has neither lock.
 *
 * A taker locks G+1.lock before it publishes G+1. The other way round there would be a moment in
 * which the new holder looks dead.
 */
/**
 * The right of one job to write a checkpoint: numbered generations, of which the highest counts.
 *
 * <p><b>Guarantee.</b> Of all jobs that want the lease at most one has the highest generation, and
 * {@link #assertHeld} fails for every other one. A holder is replaced only after its death is
 * proved: by an operating-system lock on its own host, by a heartbeat that stands still on another.
 * Where files cannot be locked, in an object store, the heartbeat alone tells.
 *
 * <p><b>Requirements.</b> Processes with the same host name see each other's file locks; hosts that
 * share a name are told apart by the system property {@code idem.host}.
 */
public final class Lease implements AutoCloseable {

  static final String DIRECTORY = "lease";

  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  /** As many generations stay, of those that were there before an acquisition. */
  private static final int KEPT = 10;

  private static final int COUNTER_DIGITS = 18;

  /** One taker a JVM: the lock between processes must not be asked for twice in one of them. */
  private static final Object TAKING = new Object();

  private final CheckpointFiles files;
  private final LeaseOwner owner;
  private volatile Held held;
  private long counter;
  private volatile @Nullable Throwable heartbeatFailure;
  private @Nullable ScheduledExecutorService heartbeat;
  private boolean closed;

  private record Held(long generation, ProcessLock lock) {}

  private Lease(CheckpointFiles files, LeaseOwner owner, Held held) {
    this.files = files;
    this.owner = owner;
    this.held = held;
  }

  /** Returns the lease, or throws {@link LeaseHeldException} if its holder may be alive. */
  static Lease acquire(CheckpointFiles files, LeaseOwner me, LeaseWatch watch) throws IOException {
    files.createDirectory(DIRECTORY);
    prune(files);
    synchronized (TAKING) {
      ProcessLock taking = files.lock(DIRECTORY + "/taking");
      try {
        return acquireNext(files, me, watch);
      } finally {
        taking.close();
      }
    }
  }

  /** Without the lock between takers, which is a courtesy and no guarantee. */
  static Lease acquireNext(CheckpointFiles files, LeaseOwner me, LeaseWatch watch)
      throws IOException {
    for (; ; ) {
      OptionalLong highest = highest(files);
      if (highest.isPresent()) {
        refuseIfAlive(files, highest.getAsLong(), me, watch);
      }
      long next = highest.orElse(0) + 1;
      Optional<Held> held = take(files, next, me);
      if (held.isPresent()) {
        return new Lease(files, me, held.get());
      }
    }
  }

  /** Takes one generation, or returns empty if another host was faster. */
  private static Optional<Held> take(CheckpointFiles files, long generation, LeaseOwner me)
      throws IOException {
    String name = name(generation);
    ProcessLock lock =
        files
            .tryLock(name + ".lock")
            .orElseThrow(
                () ->
                    CheckpointErrors.damaged(
                        files.path(name), "gone while its holder is alive", null));
    boolean taken = false;
    try {
      taken = files.putIfAbsent(name, EntryCodec.encode(me));
    } finally {
      if (!taken) {
        lock.close();
      }
    }
    return taken ? Optional.of(new Held(generation, lock)) : Optional.empty();
  }

  private static void refuseIfAlive(
      CheckpointFiles files, long generation, LeaseOwner me, LeaseWatch watch) throws IOException {
    String name = name(generation);
    LeaseOwner holder = owner(files, generation);
    if (files.read(name + ".released").isPresent()) {
      return;
    }
    boolean here = files.haveLocks() && holder.host().equals(me.host());
    boolean dead;
    if (here) {
      Optional<ProcessLock> probe = files.tryLock(name + ".lock");
      dead = probe.isPresent();
      if (dead) {
        probe.get().close();
      }
    } else {
      dead = watch.standsStill(generation, counter(files, generation));
    }
    if (!dead) {
      throw CheckpointErrors.held(files.path(""), generation, holder, here);
    }
  }

  /** Returns the generation held. */
  public long generation() {
    return held.generation();
  }

  /** Returns this process as the lease names it. */
  public LeaseOwner owner() {
    return owner;
  }

  /**
   * Rereads the highest generation.
   *
   * @throws LeaseLostException if it is not the one held
   */
  public void assertHeld() throws IOException {
    long ours = generation();
    OptionalLong highest = highest(files);
    if (highest.isEmpty()) {
      throw CheckpointErrors.lost(files.path(""), ours, -1, "gone with all others");
    }
    long current = highest.getAsLong();
    if (current != ours) {
      String by = "%d of %s".formatted(current, owner(files, current));
      throw CheckpointErrors.lost(files.path(""), ours, current, by);
    }
    String run = owner(files, ours).run();
    if (!run.equals(owner.run())) {
      throw CheckpointErrors.lost(files.path(""), ours, current, "the same number of run " + run);
    }
    Throwable failure = heartbeatFailure;
    if (failure != null) {
      throw new IOException(
          "Heartbeat of lease "
              + ours
              + " must be written, but was: failing. Other hosts may take this job for dead; repair"
              + " the checkpoint's disk.",
          failure);
    }
  }

  /** Moves the heartbeat once every five seconds, until the lease is closed. */
  void startHeartbeat() {
    heartbeat =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread thread = new Thread(task, "idem-lease-heartbeat");
              thread.setDaemon(true);
              return thread;
            });
    var unused =
        heartbeat.scheduleAtFixedRate(
            this::beatOrFail, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Moves the heartbeat once. */
  synchronized void beat() throws IOException {
    counter++;
    String text = "%0" + COUNTER_DIGITS + "d";
    files.overwrite(
        name(generation()) + ".beat", text.formatted(counter).getBytes(StandardCharsets.US_ASCII));
  }

  /** Moves the heartbeat once, or lets the next entry fail. */
  void beatOrFail() {
    try {
      beat();
      heartbeatFailure = null;
    } catch (IOException | RuntimeException e) {
      /* Not swallowed: the holder's next entry fails with it. */
      heartbeatFailure = e;
    }
  }

  /**
   * Takes a higher generation in exchange for the one held, so that it exceeds every number that
   * targets remember from an earlier life of the checkpoint.
   */
  void advanceTo(long generation) throws IOException {
    if (generation <= generation()) {
      return;
    }
    assertHeld();
    Held old = held;
    held =
        take(files, generation, owner)
            .orElseThrow(() -> CheckpointErrors.exists(files.path(name(generation))));
    old.lock().close();
  }

  /** Dies as a killed process does: the lock is free, nothing is written. */
  void abandon() throws IOException {
    stopHeartbeat();
    closed = true;
    held.lock().close();
  }

  /** Releases the lease, so that any host may take the next one at once. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    stopHeartbeat();
    try {
      byte[] run = owner.run().getBytes(StandardCharsets.US_ASCII);
      /* A power loss may take the mark back; then the lock tells that the holder is dead. */
      files.overwrite(name(generation()) + ".released", run);
    } finally {
      held.lock().close();
    }
  }

  private void stopHeartbeat() {
    if (heartbeat != null) {
      heartbeat.shutdownNow();
    }
  }

  /** Returns the highest generation that was ever published and not pruned. */
  static OptionalLong highest(CheckpointFiles files) throws IOException {
    return files.list(DIRECTORY).stream()
        .filter(EntryNames::isNumber)
        .mapToLong(Long::parseLong)
        .max();
  }

  static LeaseOwner owner(CheckpointFiles files, long generation) throws IOException {
    String name = name(generation);
    byte[] bytes =
        files
            .read(name)
            .orElseThrow(() -> CheckpointErrors.damaged(files.path(name), "gone", null));
    return EntryCodec.owner(files.path(name), bytes);
  }

  static boolean isReleased(CheckpointFiles files, long generation) throws IOException {
    return files.read(name(generation) + ".released").isPresent();
  }

  static long counter(CheckpointFiles files, long generation) throws IOException {
    Optional<byte[]> beat = files.read(name(generation) + ".beat");
    String text = beat.map(bytes -> new String(bytes, StandardCharsets.US_ASCII)).orElse("");
    return EntryNames.isNumber(text) ? Long.parseLong(text) : 0;
  }

  private static void prune(CheckpointFiles files) throws IOException {
    long oldest = highest(files).orElse(0) - KEPT;
    for (String name : files.list(DIRECTORY)) {
      int dot = name.indexOf('.');
      String number = dot < 0 ? name : name.substring(0, dot);
      if (EntryNames.isNumber(number) && Long.parseLong(number) <= oldest) {
        files.delete(DIRECTORY + "/" + name);
      }
    }
  }

  private static String name(long generation) {
    return DIRECTORY + "/" + generation;
  }
}
