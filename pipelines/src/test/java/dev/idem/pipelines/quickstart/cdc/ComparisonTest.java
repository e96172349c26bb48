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
package dev.idem.pipelines.quickstart.cdc;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ComparisonTest {

  private static final Account FIRST = account(1, "1.50", true, null, "large");
  private static final Account SECOND = account(2, "0.00", false, "", null);

  private static Account account(
      long id, String balance, boolean active, String note, String document) {
    return new Account(
        id,
        "owner",
        new BigDecimal(balance),
        active,
        note,
        LocalDateTime.parse("2026-01-01T00:00:00.000001"),
        Instant.parse("2026-01-01T00:00:00.000001Z"),
        document);
  }

  private static Comparison compared(Account... found) {
    return Comparison.of(Map.of(1L, FIRST, 2L, SECOND), List.of(found));
  }

  @Test
  void everyRowOnceIsEqual() {
    assertThat(compared(SECOND, FIRST), is(new Comparison(2, 2, 0, 0, 0)));
  }

  @Test
  void rowThatIsNotThereIsMissing() {
    assertThat(compared(SECOND), is(new Comparison(1, 1, 1, 0, 0)));
  }

  @Test
  void rowOfAnotherKeyIsExtra() {
    assertThat(
        compared(FIRST, SECOND, account(3, "0.00", false, "", null)),
        is(new Comparison(3, 2, 0, 1, 0)));
  }

  @Test
  void rowThatIsThereTwiceIsADuplicate() {
    assertThat(compared(FIRST, SECOND, FIRST), is(new Comparison(3, 2, 0, 0, 1)));
  }

  static Stream<Account> others() {
    return Stream.of(
        account(1, "1.51", true, null, "large"),
        account(1, "1.50", false, null, "large"),
        account(1, "1.50", true, "", "large"),
        account(1, "1.50", true, null, null));
  }

  @ParameterizedTest
  @MethodSource("others")
  void rowWithAnotherValueIsMissingAndExtra(Account other) {
    assertThat(compared(other, SECOND), is(new Comparison(2, 1, 1, 1, 0)));
    assertThat(compared(FIRST, other, SECOND), is(new Comparison(3, 2, 0, 1, 0)));
  }
}
