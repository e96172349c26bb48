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
package dev.idem.io.kafka.publish;

import static dev.idem.io.kafka.publish.Topics.config;
import static dev.idem.io.kafka.publish.Topics.event;
import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;

import dev.idem.testing.RunnerUnderTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.beam.sdk.Pipeline;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.transforms.Create;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;

/** The guide shows what is compiled, and it does what the guide says. */
class PublishedOrdersTest {

  private static final Schema ORDER =
      Schema.builder()
          .addStringField("id")
          .addNullableStringField("state")
          .addInt64Field("version")
          .build();

  @Test
  void guideShowsWhatIsCompiled() throws IOException {
    String source =
        Files.readString(Path.of("src/test/java/dev/idem/io/kafka/publish/PublishedOrders.java"));
    String shown = Files.readString(Path.of("../src/site/markdown/kafka-publish.md"));

    assertThat(shown, containsString(source.substring(source.indexOf("/** Publishes orders"))));
  }

  @Test
  void ordersArePublishedOnce() {
    String topic = Topics.create();
    for (int attempt = 0; attempt < 2; attempt++) {
      Pipeline pipeline = Pipeline.create(RunnerUnderTest.DIRECT.options());
      PublishedOrders.publish(
          pipeline.apply(
              Create.of(order("o1", "paid", 1), order("o2", null, 2)).withRowSchema(ORDER)),
          config(),
          topic,
          20_000);
      pipeline.run().waitUntilFinish();
    }

    Topics.assertHolds(topic, List.of(event("o1", "paid", 1), event("o2", null, 2)));
  }

  private static Row order(String id, String state, long version) {
    return Row.withSchema(ORDER).addValues(id, state, version).build();
  }
}
