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
package dev.idem.pipelines.targets;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DeltaTargetTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/data/orders",
        "/data/orders/",
        "/data//orders",
        "/data/other/../orders",
        "file:/data/orders/",
        "file:///data/orders"
      })
  void whatIsKeptBesideATableIsInOnePlaceHoweverItsPathIsWritten(String path) {
    assertThat(DeltaTarget.at("orders", path).path(), is("/data/orders"));
    assertThat(DeltaTarget.deadLetterPath(path), is("/data/orders_dead_letter"));
    assertThat(DeltaTarget.memoryPath(path, "shop:a"), is("/data/orders_memory/shop%003aa"));
  }

  @Test
  void relativePathIsTheAbsoluteOne() {
    String absolute = Path.of("").toAbsolutePath().resolve("orders").toString();

    assertThat(DeltaTarget.at("orders", "orders/").path(), is(absolute));
    assertThat(DeltaTarget.deadLetterPath("./orders"), is(absolute + "_dead_letter"));
  }

  @Test
  void otherPlacesThanLocalOnesAreRefusedByName() {
    var refused =
        assertThrows(
            IllegalArgumentException.class, () -> DeltaTarget.at("orders", "s3://bucket/orders"));

    assertThat(refused.getMessage(), containsString("but was: \"s3://bucket"));
  }
}
