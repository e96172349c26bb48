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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EntryCodecTest {

  private static final String ENTRY = "/c/offsets/7";
  private static final Plan PLAN = Batches.plan(7, "e-1", 3);

  @Test
  void entriesComeBackEqual() {
    BatchCommit commit = Batches.commit(PLAN);
    LeaseOwner owner = Batches.owner("host-a", "run-1");
    CheckpointMetadata metadata =
        new CheckpointMetadata(1, "orders", "e-1", Batches.NOW, Map.of("keys", "a,b"));

    assertThat(EntryCodec.plan(ENTRY, EntryCodec.encode(PLAN)), is(PLAN));
    assertThat(EntryCodec.commit(ENTRY, EntryCodec.encode(commit)), is(commit));
    assertThat(EntryCodec.owner(ENTRY, EntryCodec.encode(owner)), is(owner));
    assertThat(
        EntryCodec.metadata(ENTRY, EntryCodec.encode(metadata), metadata.bound()), is(metadata));
    assertThat(
        EntryCodec.texts(ENTRY, EntryCodec.encodeTexts(metadata.bound())), is(metadata.bound()));
  }

  @Test
  void entryIsAHeaderLineAndReadableJsonWithSortedKeys() {
    byte[] bytes = EntryCodec.encode(Batches.owner("host-a", "run-1"));

    String body =
        """
        {
          "acquiredAt" : "2026-03-01T10:15:30Z",
          "host" : "host-a",
          "pid" : 4711,
          "processStart" : "2026-03-01T10:14:30Z",
          "run" : "run-1"
        }
        """;
    assertThat(
        new String(bytes, StandardCharsets.UTF_8),
        is("idem-checkpoint 1 " + Json.sha256(body) + "\n" + body));
  }

  @Test
  void jsonOfRecordsComesBackEqual() {
    Summary summary = Batches.summary(7);

    assertThat(PlanCodec.fromJson(PlanCodec.toJson(PLAN)), is(PLAN));
    assertThat(SummaryCodec.fromJson(SummaryCodec.toJson(summary)), is(summary));
  }

  @Test
  void fingerprintIsTheSameInEveryJvmAndForEveryOrderOfFields() {
    Map<String, String> one = new LinkedHashMap<>();
    one.put("keys", "event_id");
    one.put("format", "json");
    Map<String, String> two = new LinkedHashMap<>();
    two.put("format", "json");
    two.put("keys", "event_id");

    String first = Batches.plan(7, "e-1", 3, one).fingerprint();
    String second = Batches.plan(7, "e-1", 3, two).fingerprint();

    assertThat(first, is(second));
    assertThat(first, is("60b5b8d16f03c79a89e9c8e12bdd32b4e5900b759442617e7dd6244e5ba843f5"));
  }

  @Test
  void fingerprintChangesWithAnythingInThePlan() {
    for (Plan other :
        List.of(
            Batches.plan(8, "e-1", 3),
            Batches.plan(7, "e-2", 3),
            Batches.plan(7, "e-1", 4),
            Batches.plan(7, "e-1", 3, Map.of("keys", "event_id", "format", "JSON")))) {
      assertThat(other.fingerprint(), is(not(PLAN.fingerprint())));
    }
  }

  @Test
  void entryCutAnywhereIsDamaged() {
    byte[] whole = EntryCodec.encode(PLAN);

    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      var e = assertThrows(DamagedEntryException.class, () -> EntryCodec.plan(ENTRY, cut));
      assertThat(e.entry(), is(ENTRY));
    }
  }

  @Test
  void entryWithAnyBitTurnedIsNeverRead() {
    byte[] whole = EntryCodec.encode(PLAN);

    for (int bit = 0; bit < whole.length * 8; bit++) {
      byte[] garbled = whole.clone();
      garbled[bit / 8] ^= (byte) (1 << bit % 8);
      var e = assertThrows(RefusedException.class, () -> EntryCodec.plan(ENTRY, garbled));
      boolean inVersion = bit / 8 == "idem-checkpoint ".length();
      assertThat(e instanceof DamagedEntryException || (inVersion && isUnsupported(e)), is(true));
    }
  }

  private static boolean isUnsupported(RefusedException e) {
    return e instanceof UnsupportedFormatException;
  }

  @Test
  void damageIsToldWithItsReasonAndRemedy() {
    byte[] appended = Arrays.copyOf(EntryCodec.encode(PLAN), 10_000);
    byte[] commit = EntryCodec.encode(Batches.commit(PLAN));

    var checksum = assertThrows(RefusedException.class, () -> EntryCodec.plan(ENTRY, appended));
    var other = assertThrows(RefusedException.class, () -> EntryCodec.plan(ENTRY, commit));
    var empty =
        assertThrows(RefusedException.class, () -> EntryCodec.commit("/c/commits/7", new byte[0]));

    assertThat(
        checksum.getMessage(),
        is(
            "Checkpoint entry \"/c/offsets/7\" must be as it was published, but was: of another"
                + " checksum than its header. A crash cannot do this. It is rebuilt from a target"
                + " that has this batch; if none has it, restore the checkpoint's disk from a"
                + " backup."));
    assertThat(other.getMessage(), containsString("of other content (field \"batch\" is missing)"));
    assertThat(
        empty.getMessage(),
        containsString("but was: empty. A crash cannot do this. Delete it and"));
  }

  @Test
  void otherFormatVersionIsNoDamage() {
    String entry =
        new String(EntryCodec.encode(PLAN), StandardCharsets.UTF_8)
            .replaceFirst("idem-checkpoint 1", "idem-checkpoint 12");

    var e =
        assertThrows(
            UnsupportedFormatException.class,
            () -> EntryCodec.plan(ENTRY, entry.getBytes(StandardCharsets.UTF_8)));

    assertThat(e.version(), is("12"));
    assertThat(
        e.getMessage(),
        startsWith(
            "Checkpoint entry \"/c/offsets/7\" must have format version 1, but was: \"12\"."));
  }

  @Test
  void unknownMissingAndMistypedFieldsAreRefusedByName() {
    String json = PlanCodec.toJson(PLAN);

    assertThat(
        message(json.replace("\"shards\":4", "\"shards\":\"4\"")),
        containsString("field \"shards\" has another type"));
    assertThat(
        message(json.replace("\"shards\":4", "\"shards\":4,\"more\":1")),
        containsString("field \"more\" is unknown"));
    assertThat(
        message(json.replace("\"shards\":4,", "")), containsString("field \"shards\" is missing"));
    assertThat(
        message(json.replace("\"shards\":4", "\"shards\":4,\"shards\":4")),
        containsString("not JSON"));
    assertThat(message(json + "x"), containsString("not JSON"));
    assertThat(message("[]"), containsString("not a JSON object"));
  }

  private static String message(String json) {
    return assertThrows(IllegalArgumentException.class, () -> PlanCodec.fromJson(json))
        .getMessage();
  }

  @Test
  void commitShareIsAPart() {
    for (double share : new double[] {-0.1, 1.1, Double.NaN}) {
      var e =
          assertThrows(
              IllegalArgumentException.class,
              () ->
                  new BatchCommit(
                      Batches.summary(0), "a", "e", "f", Map.of(), share, List.of(), Map.of()));
      assertThat(e.getMessage(), startsWith("Commit share must be from 0 to 1, but was: " + share));
    }
  }
}
