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

import dev.idem.io.checkpoint.CheckpointDamage.Kind;
import dev.idem.io.file.Storage;
import java.io.IOException;
import java.time.Clock;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The directory that makes the batches of one job replayable: {@code offsets/N} is the plan of
 * batch N, written before it runs, {@code commits/N} says that every target has it.
 *
 * <p><b>Guarantee.</b> Entries appear whole or not at all, survive a power loss once published, and
 * are never overwritten; batch N is planned only when N-1 is committed. Only the holder of the
 * lease publishes: the lease is reread before each entry.
 *
 * <p><b>Replay.</b> A crash before {@code offsets/N} leaves nothing; between the two it leaves a
 * pending plan, which the next start replays; after {@code commits/N} the next batch follows. An
 * entry that cannot be read is therefore never the trace of a crash: see {@link #damage()}.
 *
 * <p><b>Requirements.</b> A place that outlives the job and publishes a file if its name is free,
 * as {@link dev.idem.io.file.Storage} says.
 *
 * <p><b>State and cost.</b> The last 100 entries of each kind are kept, so opening costs the same
 * after any number of batches. Publishing an entry forces one small file and its directory.
 *
 * <p><b>Errors.</b> Whatever puts the guarantee at risk is a {@link RefusedException}; other
 * failures of the disk are {@link IOException}s. Not thread-safe.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * try (Checkpoint checkpoint = Checkpoint.open("/data/orders/checkpoint", "orders", clock)) {
 *   checkpoint.publishPlan(plan);
 *   // run the batch and commit every target
 *   checkpoint.publishCommit(commit);
 * }
 * }</pre>
 */
public final class Checkpoint implements AutoCloseable {

  static final String METADATA = "metadata";
  static final String BOUND = "bound";
  static final String START = "start";

  private static final String MOVING = "moving";

  private final String location;
  private final Map<String, String> hadoopConfiguration;
  private final CheckpointFiles files;
  private final String applicationId;
  private final Clock clock;
  private final Lease lease;
  private final Entries entries;
  private CheckpointMetadata metadata;

  private Checkpoint(
      String location,
      Map<String, String> hadoopConfiguration,
      CheckpointFiles files,
      String applicationId,
      Clock clock,
      Lease lease)
      throws IOException {
    this.location = location;
    this.hadoopConfiguration = Map.copyOf(hadoopConfiguration);
    this.files = files;
    this.applicationId = applicationId;
    this.clock = clock;
    this.lease = lease;
    this.entries = new Entries(files);
    if (files.read(MOVING).isPresent()) {
      finishMove();
    }
    this.metadata = load();
  }

  /**
   * Opens a checkpoint, creating it if absent, and takes its lease.
   *
   * @param location a local path, or a URI of a scheme that is supported
   * @param applicationId names the job to its targets
   * @param clock the time that entries name for information
   * @throws LeaseHeldException if another job may be at work
   * @throws OtherApplicationException if the checkpoint belongs to another application id
   */
  public static Checkpoint open(String location, String applicationId, Clock clock)
      throws IOException {
    LeaseWatch watch = new LeaseWatch(clock, LeaseWatch.DEFAULT_STANDSTILL);
    return open(location, Map.of(), applicationId, clock, watch);
  }

  /**
   * Opens a checkpoint whose lease may be held by a dead job of another host: called again and
   * again with the same watch, it takes over once that job's heartbeat stood still for long enough.
   *
   * @param hadoopConfiguration settings for the file system
   */
  public static Checkpoint open(
      String location,
      Map<String, String> hadoopConfiguration,
      String applicationId,
      Clock clock,
      LeaseWatch watch)
      throws IOException {
    LeaseOwner me = LeaseOwner.current(clock);
    Checkpoint checkpoint = open(location, hadoopConfiguration, applicationId, clock, me, watch);
    checkpoint.lease.startHeartbeat();
    return checkpoint;
  }

  /** Opens without a heartbeat of its own. */
  static Checkpoint open(
      String location, String applicationId, Clock clock, LeaseOwner me, LeaseWatch watch)
      throws IOException {
    return open(location, Map.of(), applicationId, clock, me, watch);
  }

  private static Checkpoint open(
      String location,
      Map<String, String> hadoopConfiguration,
      String applicationId,
      Clock clock,
      LeaseOwner me,
      LeaseWatch watch)
      throws IOException {
    CheckpointFiles files =
        new CheckpointFiles(Storage.at("Checkpoint", location, hadoopConfiguration));
    if (applicationId.isBlank()) {
      throw new IllegalArgumentException(
          "Application id must not be blank, but was: \""
              + applicationId
              + "\". Give a name that is stable over restarts.");
    }
    files.createDirectory("");
    Lease lease = Lease.acquire(files, me, watch);
    boolean opened = false;
    try {
      Checkpoint checkpoint =
          new Checkpoint(location, hadoopConfiguration, files, applicationId, clock, lease);
      opened = true;
      return checkpoint;
    } finally {
      if (!opened) {
        lease.close();
      }
    }
  }

  /** Reads or writes the metadata and lists the entries; both cost the same after any batch. */
  private CheckpointMetadata load() throws IOException {
    Optional<byte[]> stored = files.read(METADATA);
    if (stored.isEmpty()) {
      CheckpointMetadata fresh =
          new CheckpointMetadata(
              EntryCodec.VERSION,
              applicationId,
              UUID.randomUUID().toString(),
              clock.instant().truncatedTo(ChronoUnit.MILLIS),
              Map.of());
      put(METADATA, EntryCodec.encode(fresh));
    }
    CheckpointMetadata current = readMetadata(files);
    if (!current.applicationId().equals(applicationId)) {
      throw CheckpointErrors.otherApplication(location, current.applicationId(), applicationId);
    }
    entries.load();
    files.createDirectory(Staging.DIRECTORY);
    return current;
  }

  static CheckpointMetadata readMetadata(CheckpointFiles files) throws IOException {
    byte[] bytes =
        files
            .read(METADATA)
            .orElseThrow(() -> CheckpointErrors.damaged(files.path(METADATA), "gone", null));
    Optional<byte[]> bound = files.read(BOUND);
    Map<String, String> options =
        bound.isPresent() ? EntryCodec.texts(files.path(BOUND), bound.get()) : Map.of();
    return EntryCodec.metadata(files.path(METADATA), bytes, options);
  }

  /** Returns the random id of this life of the checkpoint. */
  public String epoch() {
    return metadata.epoch();
  }

  /** Returns the lease of this job. */
  public Lease lease() {
    return lease;
  }

  /** Returns what the checkpoint says of itself. */
  public CheckpointMetadata metadata() {
    return metadata;
  }

  /** Returns where workers leave what they staged. */
  public Staging staging() {
    return new Staging(location, hadoopConfiguration);
  }

  /** Returns true if no batch was planned in this life. */
  public boolean isNew() {
    return entries.isEmpty();
  }

  /** Returns the highest batch that has a plan. */
  public OptionalLong lastPlanned() {
    return entries.lastPlanned();
  }

  /** Returns the highest batch that has a commit. */
  public OptionalLong lastCommitted() {
    return entries.lastCommitted();
  }

  /**
   * Returns the plan of a batch, empty if it has none or it was pruned.
   *
   * @throws DamagedEntryException if the entry is there and cannot be read
   */
  public Optional<Plan> plan(long batch) throws IOException {
    return entries.plan(batch);
  }

  /**
   * Returns the commit of a batch, empty if it has none or it was pruned.
   *
   * @throws DamagedEntryException if the entry is there and cannot be read
   */
  public Optional<BatchCommit> commit(long batch) throws IOException {
    return entries.commit(batch);
  }

  /**
   * Returns the first entry the next batch needs and cannot have, empty if all is well. Heal it and
   * ask again, until there is none.
   */
  public Optional<CheckpointDamage> damage() throws IOException {
    return entries.damage();
  }

  /**
   * Returns how far the checkpoint has come.
   *
   * @throws DamagedEntryException if there is {@link #damage()}
   */
  public CheckpointState state() throws IOException {
    Optional<CheckpointDamage> damage = damage();
    if (damage.isPresent()) {
      throw damage.get().cause();
    }
    boolean pending = lastPlanned().orElse(-1) > lastCommitted().orElse(-1);
    Optional<BatchCommit> last =
        lastCommitted().isEmpty() ? Optional.empty() : commit(lastCommitted().getAsLong());
    return new CheckpointState(
        applicationId,
        epoch(),
        lastPlanned(),
        lastCommitted(),
        pending ? plan(lastPlanned().getAsLong()) : Optional.empty(),
        last.map(BatchCommit::planFingerprint),
        restartedAfter());
  }

  /* Once a batch is planned nobody needs the start entry any more. */
  private OptionalLong restartedAfter() throws IOException {
    return isNew() ? CheckpointState.restartedAfter(start()) : OptionalLong.empty();
  }

  /**
   * Binds options to the checkpoint: stored at the first start, refused with another value later.
   *
   * @throws BoundOptionException naming the first option, by name, that differs
   */
  public void bind(Map<String, String> options) throws IOException {
    lease.assertHeld();
    if (files.putIfAbsent(BOUND, EntryCodec.encodeTexts(options))) {
      metadata = readMetadata(files);
      return;
    }
    refuseUnbound(location, metadata.bound(), options);
  }

  /**
   * Refuses options other than those that a checkpoint is, or would be, bound to.
   *
   * @throws BoundOptionException naming the first option, by name, that differs
   */
  public static void refuseUnbound(
      String location, Map<String, String> stored, Map<String, String> options) {
    TreeSet<String> names = new TreeSet<>(stored.keySet());
    names.addAll(options.keySet());
    for (String name : names) {
      String before = stored.get(name);
      String now = options.get(name);
      if (before == null || !before.equals(now)) {
        throw CheckpointErrors.bound(location, name, before, now);
      }
    }
  }

  /**
   * Returns where the first batch begins, if that was published: the plan of a batch before it,
   * with empty ranges.
   *
   * @throws DamagedEntryException if the entry is there and cannot be read
   */
  public Optional<Plan> start() throws IOException {
    return readStart(files);
  }

  static Optional<Plan> readStart(CheckpointFiles files) throws IOException {
    return files.read(START).map(bytes -> EntryCodec.plan(files.path(START), bytes));
  }

  /**
   * Publishes where batch 0 begins, for a source whose answer to that changes; once in a life.
   *
   * @throws LeaseLostException if another job took over; nothing is published then
   */
  public void publishStart(Plan plan) throws IOException {
    requireOwn("Start", plan.applicationId());
    require(isNew(), "Start", "be published before batch 0", "at batch " + lastPlanned());
    lease.assertHeld();
    put(START, EntryCodec.encode(plan));
  }

  /**
   * Begins a new checkpoint anew after batches of an earlier life.
   *
   * @param start where it begins: the plan of the last batch of the earlier life, with empty ranges
   * @param lease the greatest lease that the earlier life's records name
   * @throws LeaseLostException if another job took over; nothing is published then
   */
  public void restart(Plan start, long lease) throws IOException {
    require(start.batch() >= 0, "Start anew", "follow a batch", "after " + start.batch());
    // Targets may compare lease numbers; one of an earlier life must not be above ours.
    this.lease.advanceTo(lease + 1);
    publishStart(start);
  }

  /**
   * Publishes the plan of the next batch, in a new checkpoint 0 or the one after {@link #start}.
   *
   * @throws LeaseLostException if another job took over; nothing is published then
   */
  public void publishPlan(Plan plan) throws IOException {
    requireOwn("Plan", plan.applicationId());
    require(plan.epoch().equals(epoch()), "Plan", "have epoch " + epoch(), plan.epoch());
    require(
        plan.lease() == lease.generation(),
        "Plan",
        "have lease " + lease.generation(),
        Long.toString(plan.lease()));
    long next = lastPlanned().orElse(restartedAfter().orElse(-1)) + 1;
    require(plan.batch() == next, "Plan", "be of batch " + next, Long.toString(plan.batch()));
    require(
        isNew() || entries.isCommitted(next - 1),
        "Plan",
        "follow a committed batch",
        "batch " + (next - 1) + " still pending");
    lease.assertHeld();
    entries.add(plan);
  }

  /**
   * Publishes the commit of the pending batch, then prunes old entries.
   *
   * @throws LeaseLostException if another job took over; nothing is published then
   */
  public void publishCommit(BatchCommit commit) throws IOException {
    requireOwn("Commit", commit.applicationId());
    long batch = commit.batch();
    requirePending("Commit", batch);
    Plan plan = entries.requirePlan(batch);
    require(
        plan.fingerprint().equals(commit.planFingerprint()),
        "Commit",
        "name the plan with fingerprint " + plan.fingerprint(),
        commit.planFingerprint());
    lease.assertHeld();
    entries.add(commit);
  }

  /**
   * Replaces the plan of the pending batch, because options that decide content were changed.
   *
   * <p>Only when no target has the batch: the caller asks {@link Agreement} first.
   */
  public void replan(Plan plan) throws IOException {
    requireOwn("Plan", plan.applicationId());
    requirePending("Plan", plan.batch());
    lease.assertHeld();
    entries.replace(plan);
  }

  /**
   * Rebuilds a damaged or vanished {@code offsets/N} from a target's record; the damaged bytes stay
   * beside it as {@code N.damaged}.
   *
   * @throws IllegalArgumentException if {@code offsets/N} is not damaged
   */
  public void replacePlan(Plan plan) throws IOException {
    requireOwn("Plan", plan.applicationId());
    long batch = plan.batch();
    CheckpointDamage damage = damage().orElse(null);
    require(
        damage != null && damage.kind() == Kind.PLAN && damage.batch() == batch,
        "Replaced plan",
        "be damaged",
        "batch " + batch + " without damage");
    lease.assertHeld();
    entries.keepDamaged(batch);
    entries.replace(plan);
  }

  /**
   * Deletes a damaged {@code commits/N}, so that N is pending again.
   *
   * @throws IllegalArgumentException if {@code commits/N} is not damaged
   */
  public void dropDamagedCommit(long batch) throws IOException {
    boolean damaged = false;
    try {
      commit(batch);
    } catch (DamagedEntryException e) {
      damaged = true;
    }
    require(damaged, "Dropped commit", "be damaged", "batch " + batch + " without damage");
    lease.assertHeld();
    entries.dropCommit(batch);
  }

  /**
   * Moves all that the checkpoint holds into {@code aside-EPOCH} inside it and begins a new life; a
   * crash in between is finished by the next start. Nothing is lost.
   *
   * @return the path of what was moved
   */
  public String moveAside() throws IOException {
    lease.assertHeld();
    String aside = "aside-" + epoch();
    put(MOVING, EntryCodec.encodeTexts(Map.of("to", aside)));
    finishMove();
    metadata = load();
    return files.path(aside);
  }

  private void finishMove() throws IOException {
    byte[] bytes =
        files.read(MOVING).orElseThrow(() -> CheckpointErrors.damaged(MOVING, "gone", null));
    String aside = EntryCodec.texts(files.path(MOVING), bytes).get("to");
    if (aside == null || !aside.startsWith("aside-") || aside.contains("/")) {
      throw CheckpointErrors.damaged(files.path(MOVING), "without a place to move to", null);
    }
    files.createDirectory(aside);
    for (String name :
        new String[] {
          METADATA, BOUND, START, Entries.OFFSETS, Entries.COMMITS, Staging.DIRECTORY
        }) {
      files.move(name, aside + "/" + name);
    }
    files.forceDirectory(aside);
    files.forceDirectory("");
    files.delete(MOVING);
    files.forceDirectory("");
  }

  /**
   * Starts a new checkpoint at a batch that some target has and another lacks: it is pending.
   *
   * @param plan the plan as the target's record has it, kept as it is
   */
  public void restore(Plan plan) throws IOException {
    requireOwn("Restored plan", plan.applicationId());
    require(isNew(), "Restored checkpoint", "be new", "at batch " + lastPlanned());
    /* Targets may compare lease numbers; one of an earlier life must not be above ours. */
    lease.advanceTo(plan.lease() + 1);
    lease.assertHeld();
    entries.add(plan);
  }

  /** Starts a new checkpoint after a batch that every target has. */
  public void restore(Plan plan, BatchCommit commit) throws IOException {
    restore(plan);
    publishCommit(commit);
  }

  /** Releases the lease. */
  @Override
  public void close() throws IOException {
    lease.close();
  }

  private void put(String name, byte[] bytes) throws IOException {
    if (!files.putIfAbsent(name, bytes)) {
      throw CheckpointErrors.exists(files.path(name));
    }
  }

  private void requirePending(String thing, long batch) {
    long pending = lastPlanned().orElse(-1);
    require(
        batch == pending && !entries.isCommitted(batch),
        thing,
        "be of the pending batch",
        "batch "
            + batch
            + " with "
            + pending
            + " planned and "
            + lastCommitted().orElse(-1)
            + " committed last");
  }

  private void requireOwn(String thing, String given) {
    require(given.equals(applicationId), thing, "have application id " + applicationId, given);
  }

  private static void require(boolean holds, String thing, String rule, String value) {
    if (!holds) {
      throw new IllegalArgumentException(
          thing + " must " + rule + ", but was: " + value + ". Follow the order of the protocol.");
    }
  }
}
