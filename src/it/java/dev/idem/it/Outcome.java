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
package dev.idem.it;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.is;

/**
 * How a job ended.
 *
 * @param exit the exit code
 * @param out what it said
 * @param err what it complained of
 */
public record Outcome(int exit, String out, String err) {

  Outcome done() {
    return exits(0);
  }

  Outcome exits(int code) {
    assertThat(out + err, exit, is(code));
    return this;
  }

  /** A refusal: exit 3, and a message that holds all of {@code parts}. */
  Outcome refused(String... parts) {
    return complains(3, parts);
  }

  /** A failure: exit 1, and a message that holds all of {@code parts}. */
  Outcome failed(String... parts) {
    return complains(1, parts);
  }

  private Outcome complains(int code, String... parts) {
    exits(code);
    for (String part : parts) {
      assertThat(err, containsString(part));
    }
    return this;
  }
}
