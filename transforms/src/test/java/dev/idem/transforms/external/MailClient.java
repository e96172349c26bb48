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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;

/** Sends mails to a server that sends one a key. */
final class MailClient {
  private final HttpClient http = HttpClient.newHttpClient();
  private final String server;

  private MailClient(String server) {
    this.server = server;
  }

  static MailClient connect(String server) throws IOException {
    return new MailClient(server);
  }

  void send(String key, String text) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://" + server + "/mails/" + key))
            .PUT(HttpRequest.BodyPublishers.ofString(text))
            .build();
    int status = http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    if (status != 204) {
      throw new IOException("The server answered " + status + ".");
    }
  }
}
