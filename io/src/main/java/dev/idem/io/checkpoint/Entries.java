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
import java.io.IOException;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;

/**
 * The entries {@code offsets/N} and {@code commits/N} of one checkpoint, the last hundred of each.
 */
final class Entries {

  static final String OFFSETS = "offsets";
  static final String COMMITS = "commits";

  /** How many entries of each kind are kept. */
  static final int KEPT = 100;

  private final CheckpointFiles files;
  private final NavigableSet<Long> planned = new TreeSet<>();
  private final NavigableSet<Long> committed = new TreeSet<>();

  Entries(CheckpointFiles files) {
    this.files = files;
  }

  /** Reads which entries there are, creating what is missing and removing what is left over. */
  void load() throws IOException {
    list(OFFSETS, planned);
    list(COMMITS, committed);
    prune();
  }

  private void list(String directory, NavigableSet<Long> into) throws IOException {
    files.createDirectory(directory);
    files.clean(directory);
    into.clear();
    files.list(directory).stream()
        .filter(EntryNames::isNumber)
        .map(Long::parseLong)
        .forEach(into::add);
  }

  boolean isEmpty() {
    return planned.isEmpty() && committed.isEmpty();
  }

  boolean isCommitted(long batch) {
    return committed.contains(batch);
  }

  OptionalLong lastPlanned() {
    return last(planned);
  }

  OptionalLong lastCommitted() {
    return last(committed);
  }

  Optional<Plan> plan(long batch) throws IOException {
    String name = OFFSETS + "/" + batch;
    Optional<byte[]> bytes = files.read(name);
    if (bytes.isEmpty()) {
      return Optional.empty();
    }
    Plan plan = EntryCodec.plan(files.path(name), bytes.get());
    requireBatch(name, batch, plan.batch());
    return Optional.of(plan);
  }

  Plan requirePlan(long batch) throws IOException {
    return plan(batch)
        .orElseThrow(
            () -> CheckpointErrors.damaged(files.path(OFFSETS + "/" + batch), "gone", null));
  }

  Optional<BatchCommit> commit(long batch) throws IOException {
    String name = COMMITS + "/" + batch;
    Optional<byte[]> bytes = files.read(name);
    if (bytes.isEmpty()) {
      return Optional.empty();
    }
    BatchCommit commit = EntryCodec.commit(files.path(name), bytes.get());
    requireBatch(name, batch, commit.batch());
    return Optional.of(commit);
  }

  private void requireBatch(String name, long batch, long found) {
    if (found != batch) {
      throw CheckpointErrors.damaged(files.path(name), "the entry of batch " + found, null);
    }
  }

  /** Returns the first entry the next batch needs and cannot have. */
  Optional<CheckpointDamage> damage() throws IOException {
    if (!committed.isEmpty()) {
      long batch = committed.last();
      try {
        commit(batch);
      } catch (DamagedEntryException e) {
        return Optional.of(new CheckpointDamage(Kind.COMMIT, batch, e));
      }
    }
    if (isEmpty()) {
      return Optional.empty();
    }
    long batch = Math.max(lastPlanned().orElse(-1), lastCommitted().orElse(-1));
    String path = files.path(OFFSETS + "/" + batch);
    try {
      Plan plan = requirePlan(batch);
      Optional<BatchCommit> commit = commit(batch);
      if (commit.isPresent() && !commit.get().planFingerprint().equals(plan.fingerprint())) {
        throw CheckpointErrors.damaged(path, "another plan than its commit names", null);
      }
    } catch (DamagedEntryException e) {
      return Optional.of(new CheckpointDamage(Kind.PLAN, batch, e));
    }
    return Optional.empty();
  }

  void add(Plan plan) throws IOException {
    put(OFFSETS + "/" + plan.batch(), EntryCodec.encode(plan));
    planned.add(plan.batch());
  }

  void add(BatchCommit commit) throws IOException {
    put(COMMITS + "/" + commit.batch(), EntryCodec.encode(commit));
    committed.add(commit.batch());
    prune();
  }

  void replace(Plan plan) throws IOException {
    files.replace(OFFSETS + "/" + plan.batch(), EntryCodec.encode(plan));
    planned.add(plan.batch());
  }

  /** Keeps the bytes of a plan that is about to be replaced. */
  void keepDamaged(long batch) throws IOException {
    String name = OFFSETS + "/" + batch;
    if (files.read(name).isPresent()) {
      files.keepAs(name, name + ".damaged");
    }
  }

  void dropCommit(long batch) throws IOException {
    files.delete(COMMITS + "/" + batch);
    files.forceDirectory(COMMITS);
    committed.remove(batch);
  }

  private void put(String name, byte[] bytes) throws IOException {
    if (!files.putIfAbsent(name, bytes)) {
      throw CheckpointErrors.exists(files.path(name));
    }
  }

  /** Removes what is older than the last hundred; forced by nothing, since it may come back. */
  private void prune() throws IOException {
    if (committed.isEmpty()) {
      return;
    }
    long oldest = committed.last() - KEPT;
    prune(OFFSETS, planned.headSet(oldest, true));
    prune(COMMITS, committed.headSet(oldest, true));
  }

  private void prune(String directory, NavigableSet<Long> old) throws IOException {
    while (!old.isEmpty()) {
      files.delete(directory + "/" + old.first());
      files.delete(directory + "/" + old.first() + ".damaged");
      old.pollFirst();
    }
  }

  private static OptionalLong last(NavigableSet<Long> batches) {
    return batches.isEmpty() ? OptionalLong.empty() : OptionalLong.of(batches.last());
  }
}
