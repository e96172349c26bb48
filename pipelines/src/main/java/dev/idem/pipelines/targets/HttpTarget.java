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
package dev.idem.pipelines.targets;

import dev.idem.io.http.WriteHttpEffects;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.beam.sdk.values.Row;

/**
 * A server that a job asks by HTTP for an effect of each row, with the row as JSON.
 *
 * <p><b>Guarantee.</b> Each row has its effect once, if the server knows idempotency keys, or if
 * the requests have a {@linkplain WriteHttpEffects#withLedger ledger}; what remains open is said
 * there. Requests of a key are sent in the order of their sequence, within a batch.
 *
 * <p><b>Replay.</b> A server keeps no record of batches. A batch that was not completed is sent
 * again whole, under the same idempotency keys: they are made of the application id, the target's
 * name, the key columns, and the sequence columns or, without these, the place in the source.
 *
 * <p><b>Requirements.</b> Sequence columns are whole numbers, instants or text.
 *
 * <p><b>State and cost.</b> A request a row; shards are what goes on at once.
 *
 * <p><b>Errors.</b> Rows that the server refuses, and rows without a key or a sequence, are dead
 * letters of the job, with the record they were read from.
 *
 * <p><b>Example.</b>
 *
 * <pre>{@code
 * Job.named("orders")
 *     .from(source)
 *     .into(
 *         HttpTarget.of(
 *             "mails", HttpEffectIO.post("https://shop.example.org/mails"), "order_id"))
 *     .run(arguments);
 * }</pre>
 */
public final class HttpTarget implements JobTarget {

  private final String name;
  private final WriteHttpEffects<Row> requests;
  private final RequestRules rules;

  private HttpTarget(String name, WriteHttpEffects<Row> requests, RequestRules rules) {
    this.name = name;
    this.requests = requests;
    this.rules = rules;
  }

  /**
   * Returns a server.
   *
   * @param name names the target within the job, for ever: it is part of all idempotency keys
   * @param requests where and how rows are sent; name, key, sequence, path and body are set by the
   *     target
   * @param keyColumns the columns of what a row is about
   */
  public static HttpTarget of(String name, WriteHttpEffects<Row> requests, String... keyColumns) {
    String place = requests.toString();
    if (keyColumns.length == 0) {
      throw TargetErrors.noKeyColumns(place);
    }
    for (String column : keyColumns) {
      if (Collections.frequency(List.of(keyColumns), column) > 1) {
        throw TargetErrors.keyColumnTwice(place, column);
      }
    }
    return new HttpTarget(
        TargetNames.requireUsable(name),
        requests,
        new RequestRules(List.of(keyColumns), List.of(), null, Set.of(), true));
  }

  /**
   * Sets the columns that order the rows of a key; rows of the same key and sequence are one
   * effect. Default: the row's place in the source.
   */
  public HttpTarget sequencedBy(String... columns) {
    return new HttpTarget(name, requests, rules.sequencedBy(List.of(columns)));
  }

  /**
   * Sets what comes after the URL for a row: {@code /orders/{order_id}} has the value of that
   * column in it, encoded as URLs are.
   */
  public HttpTarget withPath(String template) {
    return new HttpTarget(name, requests, rules.withPath(template));
  }

  /** Leaves fields of the rows out of the requests' bodies. Default: none. */
  public HttpTarget ignoringFields(String... fields) {
    return new HttpTarget(name, requests, rules.ignoring(Set.of(fields)));
  }

  /** Sends no bodies, as with {@code DELETE}. */
  public HttpTarget withoutBody() {
    return new HttpTarget(name, requests, rules.withoutBody());
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public String place() {
    String path = rules.path();
    return requests + (path == null ? "" : " " + path);
  }

  @Override
  public Optional<String> rules() {
    return Optional.of(rules.text());
  }

  RequestRules requestRules() {
    return rules;
  }

  WriteHttpEffects<Row> requests() {
    return requests;
  }
}
