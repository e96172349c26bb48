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
package dev.idem.pipelines.stage;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.transforms.fingerprint.ContentSum;
import dev.idem.transforms.fingerprint.Fingerprint;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ManifestTest {

  private static Manifest part(long high, long rows, long greatest) {
    Manifest manifest = new Manifest();
    Manifest.Written written = manifest.output("table");
    written.rows = rows;
    written.content = ContentSum.EMPTY.plus(new Fingerprint(high, -1));
    manifest.count("read", rows);
    manifest.saw(new Manifest.Partition("t", 0), greatest);
    return manifest;
  }

  @Test
  void partsAddUpInAnyOrder() {
    Manifest forth = new Manifest();
    forth.add(part(1, 2, 10));
    forth.add(part(5, 3, 4));
    Manifest back = new Manifest();
    back.add(part(5, 3, 4));
    back.add(part(1, 2, 10));

    assertThat(forth.output("table").rows, is(5L));
    assertThat(
        forth.output("table").content,
        is(ContentSum.EMPTY.plus(new Fingerprint(1, -1)).plus(new Fingerprint(5, -1))));
    assertThat(forth.counts, is(Map.of("read", 5L)));
    assertThat(forth.greatest, is(Map.of(new Manifest.Partition("t", 0), 10L)));
    assertThat(back.toJson(), is(forth.toJson()));
  }

  @Test
  void jsonKeepsEverything() {
    Manifest manifest = part(Long.MIN_VALUE, Long.MAX_VALUE, Long.MIN_VALUE);
    manifest.output("without rows");

    Manifest read = Manifest.fromJson(manifest.toJson());

    assertThat(read.toJson(), is(manifest.toJson()));
    assertThat(read.output("table").rows, is(Long.MAX_VALUE));
    assertThat(read.output("table").content, is(manifest.output("table").content));
    assertThat(read.greatest, is(manifest.greatest));
    assertThat(read.outputs.keySet(), is(manifest.outputs.keySet()));
  }

  @Test
  void otherTextIsNoManifest() {
    assertThrows(IllegalStateException.class, () -> Manifest.fromJson("{"));
  }
}
