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
package dev.idem.pipelines.quickstart.environment;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;

import java.util.List;
import org.junit.jupiter.api.Test;

class FiguresTest {

  @Test
  void figureThatIsNotAsItMustBeIsNamed() {
    Figures figures = new Figures();
    figures.add("in the table", 20_000, 20_001, "the table");
    figures.add("missing", 0, 0, "the table");
    figures.add("batches", 5, "the checkpoint");

    assertThat(figures.wrong(), is(List.of("in the table")));
    assertThat(
        figures.toString().lines().toList(),
        is(
            List.of(
                "                                       expected      found   read back from",
                "  in the table                           20,000     20,001   the table   <-- WRONG",
                "  missing                                     0          0   the table",
                "  batches                                                5   the checkpoint")));
  }
}
