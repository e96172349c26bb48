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
package dev.idem.io.delta.maintenance;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/*
 * Records are collected up to the memory, sorted, and written as a run. As soon as a level has as
 * many runs as can be merged at once, they become one run of the next level: each record is written
 * once a level, and no more files are open than one level has runs, and one.
 */
/**
 * Sorts any number of records by their keys' bytes, without sign; the order of records with equal
 * keys is open.
 *
 * <p><b>State and cost.</b> Holds the given bytes of records, or one record if that is larger, and
 * 64 KiB for each of at most 65 files. What does not fit is in files of a directory of its own,
 * which takes about as many bytes as the records, twice that while runs are merged. {@link #close}
 * deletes it; a process that is killed leaves it.
 */
final class ExternalSorter implements AutoCloseable {

  /** How many runs are merged at once. */
  static final int FAN_IN = 64;

  private static final int BUFFER = 64 << 10;

  /** What a record takes beside its bytes: three objects and two references. */
  private static final int OVERHEAD = 80;

  private static final Comparator<byte[]> ORDER = Arrays::compareUnsigned;

  /** Takes a record. */
  interface Records {
    void take(byte[] key, byte[] value) throws IOException;
  }

  private static final class Entry {
    private final byte[] key;
    private final byte[] value;

    Entry(byte[] key, byte[] value) {
      this.key = key;
      this.value = value;
    }

    byte[] key() {
      return key;
    }

    long bytes() {
      return (long) key.length + value.length + OVERHEAD;
    }
  }

  private record Run(Path file, long entries) {}

  private final long memory;
  private final Path directory;
  private final List<List<Run>> levels = new ArrayList<>();
  private List<Entry> held = new ArrayList<>();
  private long heldBytes;
  private int files;

  /** Returns a sorter that holds so many bytes of records, and the rest below {@code parent}. */
  ExternalSorter(Path parent, long memory) throws IOException {
    this.memory = memory;
    this.directory = Files.createTempDirectory(parent, "idem-sort-");
  }

  /** Adds a record. */
  void add(byte[] key, byte[] value) throws IOException {
    Entry entry = new Entry(key, value);
    if (!held.isEmpty() && heldBytes + entry.bytes() > memory) {
      spill();
    }
    held.add(entry);
    heldBytes += entry.bytes();
  }

  /** Hands all records to {@code records} in order, once; there is nothing to add after that. */
  void drain(Records records) throws IOException {
    if (files == 0) {
      for (Entry entry : sorted()) {
        records.take(entry.key, entry.value);
      }
      return;
    }
    spill();
    List<Run> rest = levels.stream().flatMap(List::stream).toList();
    while (rest.size() > FAN_IN) {
      List<Run> next = new ArrayList<>(rest.subList(FAN_IN, rest.size()));
      next.add(mergeToOne(rest.subList(0, FAN_IN)));
      rest = next;
    }
    merge(rest, records);
  }

  private List<Entry> sorted() {
    held.sort(Comparator.comparing(Entry::key, ORDER));
    return held;
  }

  private void spill() throws IOException {
    List<Entry> entries = sorted();
    keep(
        0,
        write(
            records -> {
              for (Entry entry : entries) {
                records.take(entry.key, entry.value);
              }
            }));
    held = new ArrayList<>();
    heldBytes = 0;
  }

  private void keep(int level, Run run) throws IOException {
    if (level == levels.size()) {
      levels.add(new ArrayList<>());
    }
    List<Run> runs = levels.get(level);
    runs.add(run);
    if (runs.size() == FAN_IN) {
      Run merged = mergeToOne(runs);
      runs.clear();
      keep(level + 1, merged);
    }
  }

  private Run mergeToOne(List<Run> runs) throws IOException {
    Run merged = write(records -> merge(runs, records));
    for (Run run : runs) {
      Files.delete(run.file());
    }
    return merged;
  }

  /** Gives records in order. */
  private interface Sorted {
    void forEach(Records records) throws IOException;
  }

  private Run write(Sorted sorted) throws IOException {
    Path file = directory.resolve("run-" + files++);
    long[] entries = {0};
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), BUFFER))) {
      sorted.forEach(
          (key, value) -> {
            out.writeInt(key.length);
            out.write(key);
            out.writeInt(value.length);
            out.write(value);
            entries[0]++;
          });
    } catch (IOException e) {
      throw unusable(e);
    }
    return new Run(file, entries[0]);
  }

  private IOException unusable(IOException cause) {
    return new IOException(
        "Directory to sort rows in must have room and be left alone, but was: \""
            + directory
            + "\". Make room there, or set java.io.tmpdir to another place.",
        cause);
  }

  private void merge(List<Run> runs, Records records) throws IOException {
    PriorityQueue<Cursor> cursors =
        new PriorityQueue<>(Comparator.comparing((Cursor cursor) -> cursor.entry.key, ORDER));
    List<Cursor> open = new ArrayList<>();
    try {
      for (Run run : runs) {
        Cursor cursor = open(run);
        open.add(cursor);
        if (cursor.next()) {
          cursors.add(cursor);
        }
      }
      while (!cursors.isEmpty()) {
        Cursor least = cursors.remove();
        records.take(least.entry.key, least.entry.value);
        if (least.next()) {
          cursors.add(least);
        }
      }
    } finally {
      for (Cursor cursor : open) {
        cursor.close();
      }
    }
  }

  /* A run that is gone must not be taken for a file of the table that is gone. */
  private Cursor open(Run run) throws IOException {
    try {
      return new Cursor(run);
    } catch (IOException e) {
      throw unusable(e);
    }
  }

  /** The place in a run, and the record there. */
  private static final class Cursor implements AutoCloseable {
    private final DataInputStream in;
    private long left;
    private Entry entry;

    Cursor(Run run) throws IOException {
      this.in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(run.file()), BUFFER));
      this.left = run.entries();
    }

    boolean next() throws IOException {
      if (left == 0) {
        return false;
      }
      left--;
      entry = new Entry(bytes(), bytes());
      return true;
    }

    private byte[] bytes() throws IOException {
      byte[] bytes = new byte[in.readInt()];
      in.readFully(bytes);
      return bytes;
    }

    @Override
    public void close() throws IOException {
      in.close();
    }
  }

  /** Deletes the files. */
  @Override
  public void close() throws IOException {
    try (DirectoryStream<Path> left = Files.newDirectoryStream(directory)) {
      for (Path file : left) {
        Files.delete(file);
      }
    }
    Files.delete(directory);
  }
}
