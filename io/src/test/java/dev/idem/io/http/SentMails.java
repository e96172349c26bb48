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
package dev.idem.io.http;

import dev.idem.transforms.external.WriteIdempotently;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.apache.beam.sdk.coders.StringUtf8Coder;
import org.apache.beam.sdk.coders.VarLongCoder;
import org.apache.beam.sdk.values.PCollection;
import org.apache.beam.sdk.values.Row;
import org.joda.time.Duration;

/** Has a mail sent for each order, once. */
final class SentMails {

  private SentMails() {}

  static WriteIdempotently.Result<Row> send(PCollection<Row> orders, String url, Path place) {
    return orders.apply(
        HttpEffectIO.<Row>post(url)
            .named("shop/mails")
            .keyedBy(order -> order.getString("id"), StringUtf8Coder.of())
            .sequencedBy(order -> order.getInt64("version"), VarLongCoder.of())
            .withBody(order -> order.getString("mail").getBytes(StandardCharsets.UTF_8))
            .withHeaders(HttpHeaders.load(place.resolve("headers.properties")))
            .withRateLimit(50, Duration.standardSeconds(1))
            .withLedger(
                SentLedger.in(place.resolve("sent").toString()), Duration.standardHours(24)));
  }
}
