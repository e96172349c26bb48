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

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** How items are put together to the body of one request. */
public enum BulkFormat {
  /** An array of JSON values. */
  JSON_ARRAY("application/json", "[", ",", "]"),
  /** A JSON value a line. */
  NDJSON("application/x-ndjson", "", "\n", "\n");

  private final String contentType;
  private final String before;
  private final String between;
  private final String after;

  BulkFormat(String contentType, String before, String between, String after) {
    this.contentType = contentType;
    this.before = before;
    this.between = between;
    this.after = after;
  }

  String contentType() {
    return contentType;
  }

  byte[] body(List<byte[]> items) {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    append(body, before);
    for (int i = 0; i < items.size(); i++) {
      append(body, i == 0 ? "" : between);
      body.writeBytes(items.get(i));
    }
    append(body, after);
    return body.toByteArray();
  }

  private static void append(ByteArrayOutputStream body, String text) {
    body.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }
}
