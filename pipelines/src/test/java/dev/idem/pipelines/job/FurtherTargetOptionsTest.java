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
package dev.idem.pipelines.job;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.startsWith;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.pipelines.targets.JobTarget;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FurtherTargetOptionsTest {

  private static JobTarget[] targets(String... options) {
    FurtherTargetOptions further = new FurtherTargetOptions();
    new CommandLine(further)
        .parseArgs(Stream.of(options).map(each -> "--target=" + each).toArray(String[]::new));
    return further.targets();
  }

  private static String refused(String... options) {
    return assertThrows(IllegalArgumentException.class, () -> targets(options)).getMessage();
  }

  @Test
  void targetsAreWhatTheirOptionsSayInTheOrderOfTheirNames() {
    JobTarget[] targets =
        targets(
            "shop.jdbcUrl=jdbc:h2:mem:shop;MODE=MySQL",
            "shop.table=orders",
            "shop.keys=id,part",
            "copy.table=/data/copy",
            "copy.partitionBy=day",
            "events.v2.bootstrapServers=b:1,b:2",
            "events.v2.topic=orders",
            "events.v2.key=id",
            "mails.url=http://localhost/mails",
            "mails.key=id",
            "mails.method=put",
            "mails.path=/{id}");

    assertThat(
        Arrays.stream(targets)
            .map(each -> each.name() + " " + each.getClass().getSimpleName() + " " + each.place())
            .toList(),
        is(
            List.of(
                "copy DeltaTarget /data/copy",
                "events.v2 KafkaTarget topic orders of b:1,b:2",
                "mails HttpTarget WriteHttpEffects(PUT http://localhost/mails) /{id}",
                "shop JdbcTarget jdbc:h2:mem:shop;MODE=MySQL orders")));
    assertThat(targets[3].rules().orElseThrow(), containsString("keys [id, part]"));
  }

  @Test
  void whatIsNoTargetIsRefusedByName() {
    assertThat(
        refused("odd.path=/data"),
        is(
            "Target \"odd\" must have jdbcUrl, topic, url or table, by which it is known what it is,"
                + " but has: [path]."));
    assertThat(
        refused("table=/data"),
        is("Option of a further target must be NAME.OPTION, but was: \"table\"."));
    assertThat(
        refused("copy.table=/data", "copy.key=id"), startsWith("Target \"copy\": Unknown option"));
    assertThat(refused("copy.topic=t"), startsWith("Target \"copy\": Missing required option"));
    assertThat(
        refused(
            "shop.jdbcUrl=jdbc:h2:mem:x", "shop.table=t", "shop.mode=append-once", "shop.keys=id"),
        startsWith("Target \"shop\": --keys must not be given with --mode=append-once"));
    assertThat(
        refused("e.topic=t", "e.key=id", "e.bootstrapServers=b:1", "e.guarantee=once"),
        is("Target \"e\": --guarantee must be transactional or at-least-once, but was: \"once\"."));
  }

  @Test
  void thereIsNoneIfNoneIsNamed() {
    assertThat(targets().length, is(0));
  }
}
