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

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Says which promise a test covers. A test that ran and passed is entered into the coverage page; a
 * test names at most {@value #LIMIT} rows and cases together, or it fails.
 *
 * <p>A test that runs on a runner says so by the word {@code DirectRunner}, {@code SparkRunner},
 * {@code Direct} or {@code Spark} (in any case) in its display name, as a parameter puts it there,
 * or by a class named {@code ...OnDirect...} or {@code ...OnSpark...}.
 */
public final class Covers {

  /** How many rows and cases one test may name. */
  public static final int LIMIT = 3;

  private Covers() {}

  /** Rows of the checklist of features. */
  @Documented
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @ExtendWith(CoversLimit.class)
  public @interface Row {
    /** The numbers of the rows. */
    int[] value();
  }

  /** Field cases: reports about other systems that Idem must get right. */
  @Documented
  @Target(ElementType.METHOD)
  @Retention(RetentionPolicy.RUNTIME)
  @ExtendWith(CoversLimit.class)
  public @interface Case {
    /** The names of the cases, such as {@code DEV-19}. */
    String[] value();
  }
}
