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
import static org.hamcrest.Matchers.lessThan;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.http.HttpEffectIO;
import dev.idem.pipelines.stage.RowWithOrigin;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.schemas.Schema.FieldType;
import org.apache.beam.sdk.schemas.logicaltypes.MicrosInstant;
import org.apache.beam.sdk.values.Row;
import org.junit.jupiter.api.Test;

class RowRequestsTest {

  private static final Schema ROWS =
      Schema.builder()
          .addNullableStringField("id")
          .addNullableInt64Field("version")
          .addNullableField("at", FieldType.logicalType(new MicrosInstant()))
          .addNullableStringField("secret")
          .build();
  private static final Schema CARRIERS = RowWithOrigin.schema(ROWS);

  private static HttpTarget target(String... keys) {
    return HttpTarget.of("server", HttpEffectIO.post("http://localhost/effects"), keys);
  }

  private static RowRequests requests(HttpTarget target) {
    return new RowRequests(target.requestRules(), ROWS, 3);
  }

  private static Row row(String id, Long version, Instant at) {
    return carrier(Row.withSchema(ROWS).attachValues(id, version, at, "hidden"), 0, 0);
  }

  private static Row carrier(Row row, long offset, long within) {
    return Row.withSchema(CARRIERS)
        .attachValues(row, "events", 1, offset, within, Instant.EPOCH, null, null);
  }

  @Test
  void keysAreTextOrAnObject() {
    Row row = row("a \"b\"", 5L, null);

    assertThat(requests(target("id")).key(row), is("a \"b\""));
    assertThat(
        requests(target("id", "version")).key(row), is("{\"id\":\"a \\\"b\\\"\",\"version\":5}"));
  }

  @Test
  void sequencesAreComparedAsTheirValuesAre() {
    RowRequests requests = requests(target("id").sequencedBy("version", "at"));
    List<Row> ascending =
        List.of(
            row("a", Long.MIN_VALUE, Instant.EPOCH),
            row("a", -10L, Instant.EPOCH),
            row("a", -9L, Instant.EPOCH),
            row("a", 0L, Instant.ofEpochSecond(-5, 999_999_000)),
            row("a", 0L, Instant.ofEpochSecond(-4)),
            row("a", 0L, Instant.ofEpochSecond(7, 1_000)),
            row("a", 0L, Instant.ofEpochSecond(7, 20_000)),
            row("a", 9L, Instant.EPOCH),
            row("a", 10L, Instant.EPOCH),
            row("a", Long.MAX_VALUE, Instant.EPOCH));

    for (int i = 1; i < ascending.size(); i++) {
      assertThat(
          requests.sequence(ascending.get(i - 1)), lessThan(requests.sequence(ascending.get(i))));
    }
  }

  @Test
  void withoutASequenceThePlaceInTheSourceOrders() {
    RowRequests requests = requests(target("id"));
    Row row = Row.withSchema(ROWS).attachValues("a", 1L, null, null);

    assertThat(
        requests.sequence(carrier(row, 9, 1)), lessThan(requests.sequence(carrier(row, 10, 0))));
    assertThat(
        requests.sequence(carrier(row, 10, 0)), lessThan(requests.sequence(carrier(row, 10, 1))));
  }

  @Test
  void idempotencyKeysStayWhatTheyAre() {
    Row row = carrier(Row.withSchema(ROWS).attachValues("a", 7L, null, null), 12, 0);

    assertThat(
        requests(target("id")).sequence(row).replace('\0', '|'),
        is("events|09223372036854775809|09223372036854775820|09223372036854775808"));
    assertThat(
        requests(target("id").sequencedBy("version")).sequence(row), is("09223372036854775815"));
  }

  @Test
  void bodiesAreTheRowsWithoutIgnoredFields() {
    byte[] body = requests(target("id").ignoringFields("secret", "at")).body(row("ä", 1L, null));

    assertThat(new String(body, StandardCharsets.UTF_8), is("{\"id\":\"ä\",\"version\":1}"));
  }

  @Test
  void valuesInPathsAreEncoded() {
    HttpTarget target = target("id").withPath("/orders/{id}/versions/{version}");

    assertThat(
        requests(target).path(row("a/b c?$1", 2L, null)),
        is("/orders/a%2Fb%20c%3F%241/versions/2"));
  }

  @Test
  void rowsLackWhatTheirRequestsNeed() {
    RowRequests requests = requests(target("id").sequencedBy("version").withPath("/{at}"));

    assertThat(requests.lacking(row(null, 1L, Instant.EPOCH)), is(Optional.of("id")));
    assertThat(requests.lacking(row("a", null, Instant.EPOCH)), is(Optional.of("version")));
    assertThat(requests.lacking(row("a", 1L, null)), is(Optional.of("at")));
    assertThat(requests.lacking(row("a", 1L, Instant.EPOCH)), is(Optional.empty()));
  }

  @Test
  void unknownColumnsAndThoseWithoutAnOrderAreRefused() {
    Schema rows = Schema.builder().addStringField("id").addBooleanField("flag").build();

    assertThat(refusal(target("id").sequencedBy("flag"), rows), containsString("\"flag\""));
    assertThat(refusal(target("other"), rows), containsString("\"other\""));
    assertThat(refusal(target("id").withPath("/{other}"), rows), containsString("Path"));
    assertThat(refusal(target("id").ignoringFields("other"), rows), containsString("leave out"));
    assertThrows(IllegalArgumentException.class, () -> target());
    assertThrows(IllegalArgumentException.class, () -> target("id", "id"));
  }

  private static String refusal(HttpTarget target, Schema rows) {
    return assertThrows(
            IllegalArgumentException.class,
            () -> target.requestRules().requireFit(target.place(), rows))
        .getMessage();
  }
}
