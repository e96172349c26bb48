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
package dev.idem.example;

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.table.DeltaTable;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A program that wants S3 and did not ask for what it takes. */
class S3WithoutItsJarsIT {

  @Test
  void artifactsThatAreMissingAreNamed() {
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> DeltaTable.at("s3a://bucket/orders", Map.of()));

    assertThat(
        e.getMessage(),
        is(
            "File system of s3a: must be on the class path, but was: absent. Add"
                + " org.apache.hadoop:hadoop-aws and org.apache.commons:commons-lang3, with"
                + " software.amazon.awssdk:bundle, or s3 and s3-transfer-manager. Take hadoop-aws of"
                + " the version of hadoop-client-api."));
  }
}
