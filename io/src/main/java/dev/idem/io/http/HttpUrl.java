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

import dev.idem.io.file.References;
import java.net.URI;
import java.util.Locale;

/** URLs as users write them. */
final class HttpUrl {
  private HttpUrl() {}

  /** Refuses what cannot be a URL, as far as it is known before references are followed. */
  static String check(String url) {
    if (!url.contains("${")) {
      parse(url, url);
    } else if (url.contains("@") && !References.isReference(url)) {
      throw HttpErrors.credentials();
    }
    return url;
  }

  /**
   * Returns a URL.
   *
   * @param shown what an error shows of it: the URL before references were followed
   */
  static URI parse(String url, String shown) {
    URI uri;
    try {
      uri = URI.create(url);
    } catch (IllegalArgumentException e) {
      throw HttpErrors.url(shown.contains("@") ? "(not shown)" : shown);
    }
    if (uri.getRawUserInfo() != null) {
      throw HttpErrors.credentials();
    }
    String scheme = uri.getScheme() == null ? "" : uri.getScheme().toLowerCase(Locale.ROOT);
    if (uri.getHost() == null || !(scheme.equals("http") || scheme.equals("https"))) {
      throw HttpErrors.url(shown.contains("@") ? "(not shown)" : shown);
    }
    return uri;
  }
}
