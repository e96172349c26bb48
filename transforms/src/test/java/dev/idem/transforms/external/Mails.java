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
package dev.idem.transforms.external;

import java.io.IOException;

/** A target of a user's own, as the guide shows it. */
record Mails(String server) implements IdempotentTarget<Order> {
  @Override
  public Client<Order> open() throws IOException {
    MailClient mails = MailClient.connect(server);
    return effects -> {
      for (Effect<Order> effect : effects) {
        mails.send(effect.idempotencyKey(), effect.record().text());
      }
    };
  }
}
