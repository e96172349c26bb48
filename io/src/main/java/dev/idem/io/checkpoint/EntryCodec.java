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

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The bytes of an entry: a line {@code idem-checkpoint 1 <sha256 of the rest>}, then JSON. What was
 * published decodes to an equal value; anything else is damage, or another format version.
 */
final class EntryCodec {

  static final int VERSION = 1;

  private static final Pattern HEADER =
      Pattern.compile("idem-checkpoint ([0-9]{1,9}) ([0-9a-f]{64})");

  private EntryCodec() {}

  static byte[] encode(Plan plan) {
    return encode(PlanCodec.body(plan));
  }

  static byte[] encode(BatchCommit commit) {
    Map<String, Object> durations = new TreeMap<>();
    commit.durations().forEach((phase, duration) -> durations.put(phase, duration.toMillis()));
    Map<String, Object> body = new LinkedHashMap<>();
    body.put("summary", SummaryCodec.body(commit.summary()));
    body.put("applicationId", commit.applicationId());
    body.put("epoch", commit.epoch());
    body.put("planFingerprint", commit.planFingerprint());
    body.put("durations", durations);
    body.put("commitShare", commit.commitShare());
    body.put("skippedTargets", commit.skippedTargets());
    body.put("notes", commit.notes());
    return encode(body);
  }

  static byte[] encode(LeaseOwner owner) {
    return encode(
        Map.of(
            "host", owner.host(),
            "pid", owner.pid(),
            "processStart", owner.processStart().toString(),
            "run", owner.run(),
            "acquiredAt", owner.acquiredAt().toString()));
  }

  /** Encodes all but the bound options, which are an entry of their own. */
  static byte[] encode(CheckpointMetadata metadata) {
    return encode(
        Map.of(
            "applicationId", metadata.applicationId(),
            "epoch", metadata.epoch(),
            "created", metadata.created().toString()));
  }

  static byte[] encodeTexts(Map<String, String> texts) {
    return encode(Map.of("values", texts));
  }

  static Plan plan(String entry, byte[] bytes) {
    return decode(entry, bytes, PlanCodec::fromFields);
  }

  static BatchCommit commit(String entry, byte[] bytes) {
    return decode(
        entry,
        bytes,
        fields ->
            new BatchCommit(
                summary(fields.object("summary")),
                fields.text("applicationId"),
                fields.text("epoch"),
                fields.text("planFingerprint"),
                durations(fields.numbers("durations")),
                fields.decimal("commitShare"),
                fields.textList("skippedTargets"),
                fields.texts("notes")));
  }

  static LeaseOwner owner(String entry, byte[] bytes) {
    return decode(
        entry,
        bytes,
        fields ->
            new LeaseOwner(
                fields.text("host"),
                fields.number("pid"),
                fields.instant("processStart"),
                fields.text("run"),
                fields.instant("acquiredAt")));
  }

  static CheckpointMetadata metadata(String entry, byte[] bytes, Map<String, String> bound) {
    return decode(
        entry,
        bytes,
        fields ->
            new CheckpointMetadata(
                VERSION,
                fields.text("applicationId"),
                fields.text("epoch"),
                fields.instant("created"),
                bound));
  }

  static Map<String, String> texts(String entry, byte[] bytes) {
    return decode(entry, bytes, fields -> fields.texts("values"));
  }

  private static Summary summary(JsonFields fields) {
    Summary summary = SummaryCodec.fromFields(fields);
    fields.done();
    return summary;
  }

  private static Map<String, Duration> durations(Map<String, Long> millis) {
    Map<String, Duration> durations = new TreeMap<>();
    millis.forEach((phase, value) -> durations.put(phase, Duration.ofMillis(value)));
    return durations;
  }

  private static byte[] encode(Map<String, Object> body) {
    String rest = Json.readable(body) + "\n";
    String header = "idem-checkpoint " + VERSION + " " + Json.sha256(rest) + "\n";
    return (header + rest).getBytes(StandardCharsets.UTF_8);
  }

  private static <T> T decode(String entry, byte[] bytes, Function<JsonFields, T> reader) {
    int end = 0;
    while (end < bytes.length && bytes[end] != '\n') {
      end++;
    }
    String line = new String(bytes, 0, end, StandardCharsets.ISO_8859_1);
    Matcher header = HEADER.matcher(line);
    if (bytes.length == 0) {
      throw CheckpointErrors.damaged(entry, "empty", null);
    }
    if (end == bytes.length || !header.matches()) {
      throw CheckpointErrors.damaged(entry, "without a header line", null);
    }
    /* Before the checksum: another version may compute another one. */
    if (Integer.parseInt(header.group(1)) != VERSION) {
      throw CheckpointErrors.unsupported(entry, header.group(1));
    }
    if (!Json.sha256(bytes, end + 1).equals(header.group(2))) {
      throw CheckpointErrors.damaged(entry, "of another checksum than its header", null);
    }
    String json = new String(bytes, end + 1, bytes.length - end - 1, StandardCharsets.UTF_8);
    try {
      JsonFields fields = Json.parse(json);
      T value = reader.apply(fields);
      fields.done();
      return value;
    } catch (IllegalArgumentException e) {
      throw CheckpointErrors.damaged(entry, "of other content (" + e.getMessage() + ")", e);
    }
  }
}
