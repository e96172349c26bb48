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
package dev.idem.io.delta.table;

import dev.idem.io.file.FileObserver;
import dev.idem.io.file.FileOperation;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** A disk that fails at given operations of one schedule, each in one way, and then works again. */
final class Faults implements FileObserver {

  /** In what way an operation fails. */
  enum Kind {
    /** It does not happen, and says so. */
    FAIL_BEFORE,
    /** It happens, and says that it did not. */
    FAIL_AFTER,
    /** It happens late: another writer commits first. */
    DELAY,
    /** It is sent twice; the answer is that of the second time. */
    DUPLICATE,
    /** Half of the bytes are written, and it says so. */
    PARTIAL_WRITE,
    /** The machine dies before it. */
    DEATH
  }

  /** Stands for a machine that dies. */
  static final class Death extends Error {
    private static final long serialVersionUID = 1L;
  }

  /** The commit of another writer. */
  interface Rival {
    void commit() throws IOException;
  }

  private final TreeMap<Integer, Kind> due = new TreeMap<>();
  private final Rival rival;
  private final Map<String, Integer> hits;
  private final Map<Kind, Integer> kinds = new EnumMap<>(Kind.class);
  private int operations;
  private Kind after;
  private boolean resting;

  /**
   * Draws a schedule.
   *
   * @param count the number of faults
   * @param among from how many operations they are drawn
   * @param kinds the kinds of faults
   * @param hits is told of every fault: its kind and what it hit
   */
  Faults(
      Random random,
      int count,
      int among,
      List<Kind> kinds,
      Rival rival,
      Map<String, Integer> hits) {
    while (due.size() < count) {
      due.put(random.nextInt(among), kinds.get(random.nextInt(kinds.size())));
    }
    this.rival = rival;
    this.hits = hits;
  }

  /** Ends the faults. */
  void stop() {
    resting = true;
  }

  /** Returns how many faults of each kind have come. */
  Map<Kind, Integer> kinds() {
    return kinds;
  }

  @Override
  public void before(FileOperation operation) throws IOException {
    if (resting) {
      return;
    }
    operations++;
    after = null;
    for (Map.Entry<Integer, Kind> fault : due.headMap(operations).entrySet()) {
      if (canHit(fault.getValue(), operation)) {
        hit(due.remove(fault.getKey()), operation);
        return;
      }
    }
  }

  private static boolean canHit(Kind kind, FileOperation operation) {
    return switch (kind) {
      case PARTIAL_WRITE -> operation.kind() == FileOperation.Kind.WRITE;
      case DUPLICATE ->
          switch (operation.kind()) {
            case OPEN, LINK, RENAME, DELETE, CREATE_DIRECTORY -> true;
            default -> false;
          };
      default -> true;
    };
  }

  private void hit(Kind kind, FileOperation operation) throws IOException {
    kinds.merge(kind, 1, Integer::sum);
    hits.merge(kind + " " + place(operation), 1, Integer::sum);
    switch (kind) {
      case FAIL_BEFORE -> throw new IOException("injected before " + operation.kind());
      case DEATH -> throw new Death();
      case FAIL_AFTER, PARTIAL_WRITE -> after = kind;
      case DELAY -> {
        resting = true;
        try {
          rival.commit();
        } finally {
          resting = false;
        }
      }
      case DUPLICATE -> repeat(operation);
    }
  }

  private static void repeat(FileOperation operation) throws IOException {
    Path path = operation.path();
    switch (operation.kind()) {
      case OPEN -> Files.createFile(path);
      case LINK -> Files.createLink(path, operation.other().orElseThrow());
      case RENAME ->
          Files.move(path, operation.other().orElseThrow(), StandardCopyOption.ATOMIC_MOVE);
      case DELETE -> Files.deleteIfExists(path);
      default -> Files.createDirectory(path);
    }
  }

  @Override
  public void after(FileOperation operation) throws IOException {
    if (resting || after == null) {
      return;
    }
    Kind kind = after;
    after = null;
    if (kind == Kind.PARTIAL_WRITE) {
      try (FileChannel file = FileChannel.open(operation.path(), StandardOpenOption.WRITE)) {
        file.truncate(file.size() / 2);
      }
    }
    throw new IOException("injected after " + operation.kind());
  }

  /** Returns what an operation is part of. */
  private static String place(FileOperation operation) {
    String path = operation.path().toString();
    String what;
    if (path.contains("_idem")) {
      what = "side file";
    } else if (path.contains("checkpoint")) {
      what = "log checkpoint";
    } else if (path.contains("_delta_log")) {
      what = "log entry";
    } else {
      what = "data file";
    }
    return switch (operation.kind()) {
      case FORCE_DIRECTORY, CREATE_DIRECTORY -> "directory";
      case LIST -> "listing";
      case READ -> "read";
      default -> what;
    };
  }
}
