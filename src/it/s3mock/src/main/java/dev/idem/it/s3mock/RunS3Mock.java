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
package dev.idem.it.s3mock;

import com.adobe.testing.s3mock.S3MockApplication;
import java.io.IOException;

/** Runs S3Mock until standard input ends, as it does when the JVM of the tests is killed. */
public final class RunS3Mock {

  private RunS3Mock() {}

  /** Starts S3Mock with its own options, says its port, and waits. */
  @SuppressWarnings("removal") // There is no other way to learn a port that the system chose.
  public static void main(String[] args) throws IOException {
    System.out.println("port " + S3MockApplication.start(args).getHttpPort());
    while (System.in.read() >= 0) {
      // Nothing is asked here.
    }
    System.exit(0);
  }
}
