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
package dev.idem.testing;

import java.lang.reflect.Method;
import java.util.List;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a test that claims to cover more than a few promises, or one that cannot exist: a test of
 * everything proves nothing.
 */
final class CoversLimit implements BeforeEachCallback {

  @Override
  public void beforeEach(ExtensionContext context) {
    Method test = context.getRequiredTestMethod();
    List<String> covered = CoverageListener.covered(test);
    if (covered.isEmpty() || covered.size() > Covers.LIMIT) {
      throw new IllegalStateException(
          "Test "
              + test.getName()
              + " must cover 1 to "
              + Covers.LIMIT
              + " rows and cases, but was: "
              + covered
              + ". Split it, one behaviour a test.");
    }
    for (String name : covered) {
      if (!name.matches("row [1-9][0-9]*|DEV-[0-9]{2}")) {
        throw new IllegalStateException(
            "Covered name must be a row above 0 or a case like DEV-19, but was: \""
                + name
                + "\". See the coverage page for the names.");
      }
    }
  }
}
