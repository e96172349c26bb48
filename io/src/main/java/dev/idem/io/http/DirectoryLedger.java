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
package dev.idem.io.http;

import dev.idem.io.file.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.checkerframework.checker.nullness.qual.Nullable;

/*
 * A batch is one file of notes before its requests and one of results after them, published whole
 * or not at all, and named by time and content. Notes are looked for before they are written, so
 * that the first one stands, and again afterwards: of two that write at the same time the later one
 * sees the other.
 *
 * Files go by the time in their names. A result is never older than its note, so no note outlives
 * its result; and a note is never written again, so no later one hides how old the first was.
 */
/**
 * A ledger in a directory: on a local disk, or in any place that {@link Storage} knows.
 *
 * <p><b>State and cost.</b> Two forced files a batch. A process keeps every entry within the
 * retention in memory, about 200 bytes each, and lists the directory twice a batch.
 */
record DirectoryLedger(String location, TreeMap<String, String> hadoop, Duration retention)
    implements SentLedger {

  private static final ConcurrentMap<DirectoryLedger, Index> OF_PROCESS = new ConcurrentHashMap<>();

  private static final String HEADER = "idem-sent 1 ";
  private static final String NOTED = "noted";
  private static final String SETTLED = "settled";
  private static final String WRITTEN = "written";
  private static final String REJECTED = "rejected ";
  private static final Pattern NAME =
      Pattern.compile("(\\d{15})-(" + NOTED + "|" + SETTLED + ")-[0-9a-f]{32}");

  DirectoryLedger(String location, Map<String, String> hadoop, Duration retention) {
    this(Storage.location("Ledger", location), new TreeMap<>(hadoop), retention);
  }

  DirectoryLedger {
    if (retention.isNegative() || retention.isZero()) {
      throw HttpErrors.notPositive("Retention of a ledger", retention);
    }
    Storage.at("Ledger", location, hadoop);
  }

  @Override
  public Log open() throws IOException {
    Index index = OF_PROCESS.computeIfAbsent(this, Index::new);
    index.prepare();
    return index;
  }

  /** What a process knows of a ledger. */
  private static final class Index implements Log {

    /** An entry and the time of the last file that speaks of it. */
    private record Known(Instant since, Optional<Result> result, Instant last) {
      Known and(Known other) {
        return new Known(
            since.isBefore(other.since) ? since : other.since,
            written() || other.result.isEmpty() ? result : other.result,
            last.isAfter(other.last) ? last : other.last);
      }

      boolean written() {
        return result.isPresent() && result.get() instanceof Result.Written;
      }
    }

    private final Storage storage;
    private final Duration retention;
    private final Map<String, Known> known = new HashMap<>();
    private final Set<String> seen = new HashSet<>();
    private @Nullable Instant cleaned;

    Index(DirectoryLedger ledger) {
      this.storage = Storage.at("Ledger", ledger.location(), ledger.hadoop());
      this.retention = ledger.retention();
    }

    void prepare() throws IOException {
      storage.createDirectories("");
    }

    @Override
    public Map<String, Entry> note(Collection<String> keys, Instant now) throws IOException {
      refresh(now);
      Set<String> fresh = new TreeSet<>(keys);
      synchronized (this) {
        fresh.removeAll(known.keySet());
      }
      if (!fresh.isEmpty()) {
        publish(NOTED, new ArrayList<>(fresh), now);
        refresh(now);
      }
      return entries(keys);
    }

    private synchronized Map<String, Entry> entries(Collection<String> keys) {
      Map<String, Entry> entries = new HashMap<>();
      for (String key : keys) {
        Known entry = known.get(key);
        entries.put(key, new Entry(entry.since(), entry.result()));
      }
      return entries;
    }

    @Override
    public void settle(Map<String, Result> results, Instant now) throws IOException {
      if (results.isEmpty()) {
        return;
      }
      List<String> lines = new ArrayList<>();
      new TreeMap<>(results)
          .forEach(
              (key, result) ->
                  lines.add(
                      key
                          + " "
                          + (result instanceof Result.Rejected rejected
                              ? REJECTED + rejected.errorClass().replaceAll("\\s+", " ")
                              : WRITTEN)));
      publish(SETTLED, lines, now);
      refresh(now);
    }

    private void publish(String kind, List<String> lines, Instant now) throws IOException {
      String text =
          HEADER + lines.size() + "\n" + String.join("\n", lines) + (lines.isEmpty() ? "" : "\n");
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      // Where the name is taken, the same bytes of the same time are there already.
      storage.putIfAbsent("%015d-%s-%s".formatted(now.toEpochMilli(), kind, digest(bytes)), bytes);
    }

    /** Reads what is new, of this process and of others. */
    private synchronized void refresh(Instant now) throws IOException {
      Instant oldest = now.minus(retention);
      clean(now, oldest);
      for (String name : storage.names("")) {
        Matcher matcher = NAME.matcher(name);
        if (!matcher.matches() || seen.contains(name)) {
          continue;
        }
        Instant time = Instant.ofEpochMilli(Long.parseLong(matcher.group(1)));
        if (time.isBefore(oldest)) {
          continue;
        }
        read(name, matcher.group(2).equals(NOTED), time);
        seen.add(name);
      }
    }

    private void clean(Instant now, Instant oldest) throws IOException {
      if (cleaned != null && now.isBefore(cleaned.plus(retention.dividedBy(100)))) {
        return;
      }
      for (String name : storage.names("")) {
        Matcher matcher = NAME.matcher(name);
        if (matcher.matches()
            && Instant.ofEpochMilli(Long.parseLong(matcher.group(1))).isBefore(oldest)) {
          storage.delete(name);
          seen.remove(name);
        }
      }
      known.values().removeIf(entry -> entry.last().isBefore(oldest));
      cleaned = now;
    }

    private void read(String name, boolean noted, Instant time) throws IOException {
      byte[] bytes;
      try {
        bytes = storage.read(name);
      } catch (NoSuchFileException e) {
        return; // Another process found it too old.
      }
      if (!name.endsWith(digest(bytes))) {
        throw HttpErrors.damagedLedger(storage.path(name));
      }
      List<String> lines = new String(bytes, StandardCharsets.UTF_8).lines().toList();
      for (String line : lines.subList(1, lines.size())) {
        if (noted) {
          add(line, new Known(time, Optional.empty(), time));
        } else {
          int space = line.indexOf(' ');
          String what = line.substring(space + 1);
          Result result =
              what.equals(WRITTEN)
                  ? new Result.Written()
                  : new Result.Rejected(what.substring(REJECTED.length()));
          add(line.substring(0, space), new Known(time, Optional.of(result), time));
        }
      }
    }

    private void add(String key, Known entry) {
      known.merge(key, entry, Known::and);
    }

    private static String digest(byte[] bytes) {
      try {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
        return HexFormat.of().formatHex(digest, 0, 16);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("Every Java platform must have SHA-256.", e);
      }
    }
  }
}
