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

/**
 * Effects on servers that are asked by HTTP, each under an idempotency key that is the same at
 * every attempt and every replay. What a server that knows such keys has done before it does not do
 * again; for one that forgets them there is a {@link SentLedger}.
 *
 * <p>A URL may hold {@code ${env:NAME}} and {@code ${file:PATH}}, which are followed on the worker;
 * it must hold no user and password.
 */
public final class HttpEffectIO {
  private HttpEffectIO() {}

  /**
   * Returns requests that add something; safe with a server that knows idempotency keys.
   *
   * @param <T> the type of the records
   */
  public static <T> WriteHttpEffects<T> post(String url) {
    return WriteHttpEffects.of(HttpMethod.POST, url);
  }

  /**
   * Returns requests that put something in a place, usually one for each record: see {@link
   * WriteHttpEffects#withPath}.
   *
   * @param <T> the type of the records
   */
  public static <T> WriteHttpEffects<T> put(String url) {
    return WriteHttpEffects.of(HttpMethod.PUT, url);
  }

  /**
   * Returns requests that change something; safe with a server that knows idempotency keys.
   *
   * @param <T> the type of the records
   */
  public static <T> WriteHttpEffects<T> patch(String url) {
    return WriteHttpEffects.of(HttpMethod.PATCH, url);
  }

  /**
   * Returns requests that remove what a record names: see {@link WriteHttpEffects#withPath}.
   *
   * @param <T> the type of the records
   */
  public static <T> WriteHttpEffects<T> delete(String url) {
    return WriteHttpEffects.of(HttpMethod.DELETE, url);
  }
}
