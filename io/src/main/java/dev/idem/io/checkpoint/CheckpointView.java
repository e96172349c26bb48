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

import dev.idem.io.file.Storage;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A checkpoint as it lies on the disk, read without a lease and without writing anything, also
 * while a job is at work on it.
 *
 * @param location the checkpoint, as it was given
 * @param metadata what the checkpoint says of itself, empty if that is damaged
 * @param start where batch 0 begins, empty if that was not published or is damaged
 * @param batches the batches kept, oldest first
 * @param holder the last holder of the lease, empty if there never was one or its entry is damaged
 * @param sizes bytes by directory
 * @param damage what is wrong with entries that belong to no batch, empty if nothing
 */
public record CheckpointView(
    String location,
    Optional<CheckpointMetadata> metadata,
    Optional<Plan> start,
    List<Batch> batches,
    Optional<Holder> holder,
    Map<String, Long> sizes,
    List<String> damage) {

  /** What is known of one batch. */
  public enum State {
    /** Planned and not committed: the next start replays it. */
    PENDING,
    /** Every target has it. */
    COMMITTED,
    /** One of its entries cannot be read. */
    DAMAGED
  }

  /**
   * One batch.
   *
   * @param batch the batch id
   * @param state what is known of it
   * @param plan its plan, empty if absent or damaged
   * @param commit its commit, empty if absent or damaged
   * @param damage what is wrong with its entries, empty if nothing
   */
  public record Batch(
      long batch,
      State state,
      Optional<Plan> plan,
      Optional<BatchCommit> commit,
      List<String> damage) {}

  /**
   * The last holder of the lease.
   *
   * @param generation the number of the lease
   * @param owner the process
   * @param released true if it ended in order
   * @param heartbeat its counter
   */
  public record Holder(long generation, LeaseOwner owner, boolean released, long heartbeat) {}

  /**
   * Reads a checkpoint.
   *
   * @param location a local path, or a URI of a scheme that is supported
   * @throws IllegalArgumentException if there is no checkpoint
   */
  public static CheckpointView read(String location) throws IOException {
    return read(location, Map.of());
  }

  /**
   * Reads a checkpoint.
   *
   * @param location a local path, or a URI of a scheme that is supported
   * @param hadoopConfiguration settings for the file system
   * @throws IllegalArgumentException if there is no checkpoint
   */
  public static CheckpointView read(String location, Map<String, String> hadoopConfiguration)
      throws IOException {
    return find(location, hadoopConfiguration)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "Checkpoint \""
                        + location
                        + "\" must exist, but was: absent. Give the directory that the job was"
                        + " given."));
  }

  /**
   * Reads a checkpoint, if there is one.
   *
   * @param location a local path, or a URI of a scheme that is supported
   * @param hadoopConfiguration settings for the file system
   */
  public static Optional<CheckpointView> find(
      String location, Map<String, String> hadoopConfiguration) throws IOException {
    CheckpointFiles files =
        new CheckpointFiles(Storage.at("Checkpoint", location, hadoopConfiguration));
    if (files.read(Checkpoint.METADATA).isEmpty()
        && files.list(Entries.OFFSETS).isEmpty()
        && files.list(Entries.COMMITS).isEmpty()) {
      return Optional.empty();
    }
    TreeSet<Long> ids = new TreeSet<>();
    for (String directory : List.of(Entries.OFFSETS, Entries.COMMITS)) {
      files.list(directory).stream()
          .filter(EntryNames::isNumber)
          .map(Long::parseLong)
          .forEach(ids::add);
    }
    List<Batch> batches = new ArrayList<>();
    for (long id : ids) {
      batch(files, id).ifPresent(batches::add);
    }
    Map<String, Long> sizes = new TreeMap<>();
    for (String directory :
        List.of(Entries.OFFSETS, Entries.COMMITS, Staging.DIRECTORY, Lease.DIRECTORY)) {
      sizes.put(directory, files.size(directory));
    }
    List<String> damage = new ArrayList<>();
    Optional<CheckpointMetadata> metadata =
        unlessDamaged(() -> Optional.of(Checkpoint.readMetadata(files)), damage);
    Optional<Plan> start = unlessDamaged(() -> Checkpoint.readStart(files), damage);
    Optional<Holder> holder = unlessDamaged(() -> holder(files), damage);
    return Optional.of(
        new CheckpointView(
            location,
            metadata,
            start,
            List.copyOf(batches),
            holder,
            Map.copyOf(sizes),
            List.copyOf(damage)));
  }

  /**
   * Returns how far the checkpoint has come, for {@link Agreement}.
   *
   * @throws OtherApplicationException if it belongs to another application id
   * @throws DamagedEntryException if an entry that the next batch needs is damaged
   */
  public CheckpointState state(String applicationId) {
    CheckpointMetadata known =
        metadata.orElseThrow(
            () -> CheckpointErrors.damaged(location + "/" + Checkpoint.METADATA, "damaged", null));
    if (!known.applicationId().equals(applicationId)) {
      throw CheckpointErrors.otherApplication(location, known.applicationId(), applicationId);
    }
    Optional<Batch> last = last(0);
    Optional<Batch> before = last(1);
    if (last.isEmpty()) {
      damage.stream()
          .filter(each -> each.contains("/" + Checkpoint.START + ": "))
          .forEach(CheckpointView::refuse);
    }
    last.ifPresent(this::refuseDamaged);
    before.ifPresent(this::refuseDamaged);
    Optional<BatchCommit> committed =
        last.flatMap(Batch::commit).or(() -> before.flatMap(Batch::commit));
    return new CheckpointState(
        applicationId,
        known.epoch(),
        number(last.map(Batch::batch)),
        number(committed.map(BatchCommit::batch)),
        last.filter(batch -> batch.state() == State.PENDING).flatMap(Batch::plan),
        committed.map(BatchCommit::planFingerprint),
        last.isEmpty() ? CheckpointState.restartedAfter(start) : OptionalLong.empty());
  }

  private Optional<Batch> last(int back) {
    int index = batches.size() - 1 - back;
    return index < 0 ? Optional.empty() : Optional.of(batches.get(index));
  }

  private void refuseDamaged(Batch batch) {
    if (batch.state() == State.DAMAGED) {
      refuse(location + "/" + batch.damage().get(0));
    }
  }

  private static void refuse(String entryAndReason) {
    String[] parts = entryAndReason.split(": ", 2);
    throw CheckpointErrors.damaged(parts[0], parts[1], null);
  }

  private static OptionalLong number(Optional<Long> batch) {
    return batch.isPresent() ? OptionalLong.of(batch.get()) : OptionalLong.empty();
  }

  /**
   * Refuses options that differ from those the checkpoint is bound to, if it is bound.
   *
   * @throws BoundOptionException naming the first option, by name, that differs
   */
  public void refuseUnbound(Map<String, String> options) {
    Map<String, String> stored = metadata.map(CheckpointMetadata::bound).orElse(Map.of());
    if (!stored.isEmpty()) {
      Checkpoint.refuseUnbound(location, stored, options);
    }
  }

  private static <T> Optional<T> unlessDamaged(Reader<T> reader, List<String> damage)
      throws IOException {
    try {
      return reader.read();
    } catch (DamagedEntryException e) {
      damage.add(e.entry() + ": " + e.reason());
      return Optional.empty();
    }
  }

  /** Returns one batch; empty if a job at work removed its entries since they were listed. */
  private static Optional<Batch> batch(CheckpointFiles files, long id) throws IOException {
    List<String> damage = new ArrayList<>();
    Optional<Plan> plan = entry(files, Entries.OFFSETS + "/" + id, EntryCodec::plan, damage);
    Optional<BatchCommit> commit =
        entry(files, Entries.COMMITS + "/" + id, EntryCodec::commit, damage);
    if (plan.isEmpty() && commit.isEmpty() && damage.isEmpty()) {
      return Optional.empty();
    }
    State state = commit.isPresent() ? State.COMMITTED : State.PENDING;
    return Optional.of(
        new Batch(id, damage.isEmpty() ? state : State.DAMAGED, plan, commit, List.copyOf(damage)));
  }

  private static <T> Optional<T> entry(
      CheckpointFiles files, String name, Decoder<T> decoder, List<String> damage)
      throws IOException {
    Optional<byte[]> bytes = files.read(name);
    if (bytes.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(decoder.decode(files.path(name), bytes.get()));
    } catch (DamagedEntryException e) {
      damage.add(name + ": " + e.reason());
      return Optional.empty();
    }
  }

  private static Optional<Holder> holder(CheckpointFiles files) throws IOException {
    OptionalLong highest = Lease.highest(files);
    if (highest.isEmpty()) {
      return Optional.empty();
    }
    long generation = highest.getAsLong();
    return Optional.of(
        new Holder(
            generation,
            Lease.owner(files, generation),
            Lease.isReleased(files, generation),
            Lease.counter(files, generation)));
  }

  @FunctionalInterface
  private interface Reader<T> {
    Optional<T> read() throws IOException;
  }

  @FunctionalInterface
  private interface Decoder<T> {
    T decode(String entry, byte[] bytes);
  }
}
