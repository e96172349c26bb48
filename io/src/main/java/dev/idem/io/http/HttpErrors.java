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

import java.time.Duration;
import org.checkerframework.checker.nullness.qual.Nullable;

/** Words all errors of this package; none holds a header's value or a record. */
final class HttpErrors {
  private HttpErrors() {}

  static IllegalArgumentException url(String url) {
    return invalid(
        "URL",
        "begin with http:// or https:// and a host, or be a reference",
        quoted(url),
        "Give the whole URL");
  }

  static IllegalArgumentException credentials() {
    return invalid(
        "URL",
        "hold no user and password",
        "one that does (not shown)",
        "Send them in a header, by withHeaders");
  }

  static IllegalArgumentException headerName(String name) {
    return invalid(
        "Header",
        "be named by letters, digits and hyphens, and not be one that the client sets itself",
        quoted(name),
        "Leave it out or name it otherwise");
  }

  static IllegalArgumentException headerValue(String name) {
    return invalid(
        "Value of header " + quoted(name),
        "be one line of printable characters",
        "another (not shown)",
        "Correct it where it is kept");
  }

  static IllegalArgumentException literalSecret(String name) {
    return invalid(
        "Value of header " + quoted(name),
        "be given as a reference",
        "a literal (not shown)",
        "Use ${file:PATH} or ${env:NAME}, or load the headers from a file");
  }

  static IllegalArgumentException noHeadersFile(String path, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        "File of headers must be properties in UTF-8 that can be read, but was: "
            + quoted(path)
            + ". Make it readable at this path on every worker.",
        cause);
  }

  static IllegalArgumentException unresolved(String thing, boolean environment, String name) {
    return invalid(
        thing,
        "refer to a value that this process can read",
        (environment ? "variable " : "file ") + quoted(name),
        "Set it on every worker");
  }

  static IllegalArgumentException statusRange(int from, int to) {
    return invalid(
        "Statuses", "be from 100 to 599", from + " to " + to, "Give the lower one of them first");
  }

  static IllegalArgumentException notPositive(String thing, Duration duration) {
    return invalid(thing, "be positive", duration.toString(), "Give 1 ms or more");
  }

  static IllegalArgumentException missing(String thing, String method) {
    return invalid("Requests by HTTP", "have " + thing, "none", "Call " + method);
  }

  static IllegalArgumentException pathInBulk() {
    return invalid(
        "Bulk request",
        "have one URL for all its records",
        "a path of each",
        "Leave withPath or inBulk out");
  }

  static IllegalArgumentException pathAfterQuery() {
    return invalid(
        "URL",
        "have no query if records have paths",
        "one with a query (not shown)",
        "Return the query as a part of the path");
  }

  static IllegalArgumentException keyMemory(Duration keyMemory, Duration timeout) {
    return invalid(
        "Memory of keys",
        "be longer than a request may take, " + timeout,
        keyMemory.toString(),
        "Give the time for which the server remembers keys");
  }

  static IllegalArgumentException retention(Duration retention, Duration keyMemory) {
    return invalid(
        "Retention of a ledger",
        "be longer than the server's memory of keys, " + keyMemory,
        retention.toString(),
        "Keep entries as long as a batch may be run again");
  }

  static IllegalArgumentException nullBody() {
    return invalid("Body of a request", "be bytes", "null", "Return no bytes for an empty one");
  }

  static HttpConfigurationException configuration(String target, int status) {
    return new HttpConfigurationException(
        "Server of "
            + target
            + " must take requests of this kind, but answered: "
            + status
            + ". "
            + remedy(status)
            + "; or say what the status means by withStatus.",
        status);
  }

  private static String remedy(int status) {
    return switch (status) {
      case 401, 403, 407 -> "Check the credentials in the headers";
      case 404, 405, 410, 421 -> "Check the URL and the method";
      case 406, 411, 415 -> "Check the content type and the headers";
      default ->
          status / 100 == 3
              ? "Redirects are not followed: give the URL it points to"
              : "Ask the server's owner";
    };
  }

  static HttpConfigurationException tooLong(String target, Duration wait, Duration longest) {
    return new HttpConfigurationException(
        "Server of "
            + target
            + " must be willing within "
            + longest
            + ", but asked to be left alone for: "
            + wait
            + ". Run the pipeline again then, or allow more by withLongestWait.",
        0);
  }

  static String unknown(String since, Duration keyMemory) {
    return "Request was noted at "
        + since
        + " and its outcome is not known; the server may have forgotten its key after "
        + keyMemory
        + ", so it is not sent again.";
  }

  static String rejectedBefore() {
    return "The server rejected it when it was asked; it may have forgotten the key since, so it is"
        + " not asked again.";
  }

  static String badPath(String target) {
    return "Path of a record must make a valid URL of the same server as " + target + ".";
  }

  static IllegalStateException damagedLedger(String file) {
    return new IllegalStateException(
        "File of a ledger must be whole, but was not: "
            + quoted(file)
            + ". Restore it; without it the requests it notes may be sent twice.");
  }

  private static String quoted(String text) {
    return "\"" + text + "\"";
  }

  private static IllegalArgumentException invalid(
      String thing, String rule, String value, String remedy) {
    return new IllegalArgumentException(
        thing + " must " + rule + ", but was: " + value + ". " + remedy + ".");
  }
}
