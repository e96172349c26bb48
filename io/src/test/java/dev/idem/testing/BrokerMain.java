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

import java.io.IOException;

/** The broker's main class: Kafka's own, but it dies with the process that started it. */
final class BrokerMain {
  private BrokerMain() {}

  /** Runs a broker until standard input ends. */
  public static void main(String[] args) {
    // A killed parent runs no shutdown hook, but its end of this pipe is closed in every case.
    Thread watch = new Thread(BrokerMain::haltAtEndOfInput, "parent-watch");
    watch.setDaemon(true);
    watch.start();
    kafka.Kafka.main(args);
  }

  private static void haltAtEndOfInput() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is ever sent; only the end matters.
      }
    } catch (IOException e) {
      Runtime.getRuntime().halt(2);
    }
    Runtime.getRuntime().halt(1);
  }
}
