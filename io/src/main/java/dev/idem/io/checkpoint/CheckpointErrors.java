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

import dev.idem.io.checkpoint.DisagreementException.Reason;
import java.nio.file.Path;
import org.checkerframework.checker.nullness.qual.Nullable;

/** The wording of every run-time failure of the package. */
final class CheckpointErrors {

  private static final String WITHOUT_CHECKPOINT =
      "rebuild it from the target's record by --onLostCheckpoint=resume, or, if rows may leave the"
          + " targets and nobody else writes them, begin anew by --onLostCheckpoint=restart: the"
          + " source is read from its beginning, and the first commit empties every target.";

  private CheckpointErrors() {}

  static DamagedEntryException damaged(String entry, String reason, @Nullable Throwable cause) {
    Path directory = Path.of(entry).getParent();
    String kind = directory == null ? "" : String.valueOf(directory.getFileName());
    String remedy =
        "Restore it from a backup, or move the checkpoint away and start with"
            + " --onLostCheckpoint=resume.";
    if (kind.equals("offsets")) {
      remedy =
          "It is rebuilt from a target that has this batch; if none has it, restore the"
              + " checkpoint's disk from a backup.";
    } else if (kind.equals("commits")) {
      remedy = "Delete it and the batch is replayed.";
    } else if (kind.equals("lease")) {
      remedy = "Delete it once no job runs on this checkpoint.";
    } else if (kind.equals("staging")) {
      remedy = "Delete it and the batch is staged again.";
    }
    return new DamagedEntryException(
        "Checkpoint entry \"%s\" must be as it was published, but was: %s. A crash cannot do this. %s"
            .formatted(entry, reason, remedy),
        entry,
        reason,
        cause);
  }

  static UnsupportedFormatException unsupported(String entry, String version) {
    return new UnsupportedFormatException(
        "Checkpoint entry \"%s\" must have format version %d, but was: \"%s\". Run the version of the library that wrote it."
            .formatted(entry, EntryCodec.VERSION, version),
        entry,
        version);
  }

  static LeaseHeldException held(
      String location, long generation, LeaseOwner holder, boolean here) {
    String proof =
        here
            ? "Stop that process, or wait for its end."
            : "Stop that process, or wait until its heartbeat stands still.";
    return new LeaseHeldException(
        "Checkpoint \"%s\" must have no other job at work, but was: %s lease %d of %s. %s"
            .formatted(location, here ? "under live" : "under", generation, holder, proof),
        holder,
        generation,
        here);
  }

  static LeaseLostException lost(String location, long ours, long current, String by) {
    return new LeaseLostException(
        "Lease %d of checkpoint \"%s\" must be the highest, but was: %s. This job writes nothing any more; find out why it stood still or who took over."
            .formatted(ours, location, by),
        ours,
        current);
  }

  static BoundOptionException bound(
      String location, String option, @Nullable String stored, @Nullable String given) {
    return new BoundOptionException(
        "Option --%s must be %s as at the first start of checkpoint \"%s\", but was: %s. Give the first value, or start anew with another --applicationId and another --checkpoint."
            .formatted(option, quoted(stored), location, quoted(given)),
        option,
        stored,
        given);
  }

  private static String quoted(@Nullable String value) {
    return value == null ? "absent" : "\"" + value + "\"";
  }

  static OtherApplicationException otherApplication(String location, String stored, String given) {
    return new OtherApplicationException(
        "Application id of checkpoint \"%s\" must be \"%s\", but was: \"%s\". Give the application its own --checkpoint, or this one its --applicationId."
            .formatted(location, stored, given),
        stored,
        given);
  }

  static EntryExistsException exists(String entry) {
    return new EntryExistsException(
        "Checkpoint entry \"%s\" must be published by this job, but was: there already. Another job wrote it; start again, and what it wrote is used."
            .formatted(entry),
        entry);
  }

  /**
   * Tells a target and the checkpoint apart.
   *
   * @param ours the last batch planned, -1 for none
   * @param detail what else the reason has to name
   */
  static DisagreementException disagreement(
      Reason reason, TargetState target, long ours, String detail) {
    String[] words = words(reason, target, detail);
    String message =
        "Target \"%s\" must %s, but was: %s (sink \"%s\": target at %s, checkpoint at %s). %s"
            .formatted(
                target.target(),
                words[0],
                words[1],
                target.sink(),
                batch(target.number()),
                batch(ours),
                words[2]);
    return new DisagreementException(message, reason, target.target(), target.number(), ours);
  }

  private static String batch(long number) {
    return number < 0 ? "no batch" : "batch " + number;
  }

  /** Returns rule, value and remedy. */
  private static String[] words(Reason reason, TargetState target, String detail) {
    String agree = "hold the batches that the checkpoint has done";
    String goOn = " or go on without the missing batches by --onLostTarget=continue.";
    return switch (reason) {
      case CHECKPOINT_LOST ->
          new String[] {
            "hold nothing that this checkpoint has not planned",
            "ahead of it, because the checkpoint was lost or is another one",
            "Give the --checkpoint that wrote it, " + WITHOUT_CHECKPOINT
          };
      case CHECKPOINT_STALE ->
          new String[] {
            "hold nothing that this checkpoint has not planned",
            "ahead of it, because the checkpoint is an old copy",
            "Give the newest copy of the --checkpoint, " + WITHOUT_CHECKPOINT
          };
      case TARGET_MISSING ->
          new String[] {
            agree,
            "absent",
            "It was deleted, or another place is given: give the place written so far, restore it,"
                + goOn
          };
      case TARGET_WITHOUT_RECORD ->
          new String[] {
            agree,
            "without any record of this sink",
            "It was created anew, or another place is given: give the place written so far, restore"
                + " it,"
                + goOn
          };
      case TARGET_BEHIND ->
          new String[] {
            agree, "behind", "It was restored or replaced by an old copy: bring it back," + goOn
          };
      case TARGET_CHANGED ->
          new String[] {
            "be changed by nothing that takes rows back", detail, "Undo that change," + goOn
          };
      case TARGET_SWAPPED ->
          new String[] {
            "hold records of this application and sink",
            "under " + detail,
            "Give the target that this job wrote so far."
          };
      case OTHER_PLAN ->
          new String[] {
            "hold its last batch under the checkpoint's plan",
            "under another plan (" + planOf(target) + ")",
            "Give the target and the --checkpoint that belong together; if the checkpoint is an old"
                + " copy, rebuild it by --onLostCheckpoint=resume."
          };
      case TARGETS_DISAGREE ->
          new String[] {
            "hold its last batch under the same plan as " + detail,
            "under another plan (" + planOf(target) + ")",
            "Give the targets that were written by one job; none of them can be resumed from."
          };
      case OPTIONS_CHANGED ->
          new String[] {
            "get the pending batch under the options that it was planned with",
            "given others although it has the batch: " + detail,
            "Start once with the former options, which ends the batch, and change them then."
          };
      case OTHER_APPLICATION ->
          new String[] {
            "be written by no other application from the same source",
            "written by " + detail,
            "If this is that job, give its --checkpoint or its --applicationId; if a second job is"
                + " meant, give it an --applicationId of its own."
          };
      case OTHER_SINK ->
          new String[] {
            "be written by this application through one sink",
            "written by \"" + detail + "\" through a sink of another name",
            "Give the sink its former name, or the job an --applicationId of its own."
          };
    };
  }

  private static String planOf(TargetState target) {
    return target.last().map(last -> "fingerprint " + last.plan().fingerprint()).orElse("none");
  }
}
