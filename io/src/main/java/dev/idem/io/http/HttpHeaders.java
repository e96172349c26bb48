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
import dev.idem.io.file.UnresolvedReferenceException;
import java.io.IOException;
import java.io.Reader;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Headers of requests, made so that no secret travels with a pipeline.
 *
 * <p>A value may hold {@code ${env:NAME}} and {@code ${file:PATH}}; a reference is followed on the
 * worker, for each bundle. Headers {@linkplain #load loaded from a file} stay in it: only its
 * absolute path and their names are kept, and it is read again for each bundle. Such a file may
 * hold literal secrets, and must be readable at the same path on every worker.
 *
 * <p><b>Guarantee.</b> No secret is in {@link #toString()}, in the serialised form or in an error.
 */
public final class HttpHeaders implements Serializable {
  private static final long serialVersionUID = 1L;
  private static final String NO_FILE = "";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9-]+");

  private static final Pattern VALUE = Pattern.compile("[\\x20-\\x7e\\x80-\\xff\\t]*");

  private static final Pattern SECRET =
      Pattern.compile("(?i).*(auth|cookie|password|secret|credential|token|signature|key).*");

  /** What the client sets by itself. */
  private static final Set<String> OWN =
      Set.of("connection", "content-length", "expect", "host", "upgrade", "transfer-encoding");

  private final String file;
  private final TreeSet<String> namesInFile;
  private final TreeMap<String, String> given;

  private HttpHeaders(String file, SortedSet<String> namesInFile, Map<String, String> given) {
    this.file = file;
    this.namesInFile = new TreeSet<>(namesInFile);
    this.given = new TreeMap<>(given);
  }

  /** Returns no headers. */
  public static HttpHeaders none() {
    return new HttpHeaders(NO_FILE, new TreeSet<>(), Map.of());
  }

  /** Returns the headers of a properties file in UTF-8, which is read now to be checked. */
  public static HttpHeaders load(Path properties) {
    String path = properties.toAbsolutePath().normalize().toString();
    TreeSet<String> names = new TreeSet<>(read(path).keySet());
    names.forEach(HttpHeaders::check);
    return new HttpHeaders(path, names, Map.of());
  }

  /**
   * Returns these headers with one more, which replaces one of the same name. A value that may be a
   * secret, by its header's name, must be a reference and nothing else, or a scheme before one, as
   * in {@code Bearer ${env:TOKEN}}.
   */
  public HttpHeaders with(String name, String value) {
    check(name);
    String secret = value.replaceFirst("^[A-Za-z]+ (?=\\$\\{)", "");
    if (SECRET.matcher(name).matches() && !References.isReference(secret)) {
      throw HttpErrors.literalSecret(name);
    }
    checkValue(name, value);
    Map<String, String> more = new TreeMap<>(given);
    more.put(name, value);
    return new HttpHeaders(file, namesInFile, more);
  }

  static void check(String name) {
    if (!NAME.matcher(name).matches() || OWN.contains(name.toLowerCase(Locale.ROOT))) {
      throw HttpErrors.headerName(name);
    }
  }

  private static void checkValue(String name, String value) {
    if (!VALUE.matcher(value).matches()) {
      throw HttpErrors.headerValue(name);
    }
  }

  /** Returns the names of all headers. */
  public SortedSet<String> names() {
    SortedSet<String> names = new TreeSet<>(namesInFile);
    names.addAll(given.keySet());
    return names;
  }

  /** Returns the headers with references followed; the result must not be kept. */
  Map<String, String> resolve() {
    Map<String, String> all = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    if (!file.equals(NO_FILE)) {
      all.putAll(read(file));
    }
    all.putAll(given);
    all.replaceAll((name, value) -> follow("Header \"" + name + "\"", value));
    // The client would show the value of a header that it does not take.
    all.forEach(HttpHeaders::checkValue);
    return all;
  }

  static String follow(String thing, String value) {
    try {
      return References.follow(value);
    } catch (UnresolvedReferenceException e) {
      throw HttpErrors.unresolved(thing, e.isEnvironment(), e.name());
    }
  }

  private static Map<String, String> read(String path) {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(Path.of(path))) {
      properties.load(reader);
    } catch (IOException | IllegalArgumentException e) {
      // An error of the format may show what is in the file.
      throw HttpErrors.noHeadersFile(path, e instanceof IOException ? e : null);
    }
    Map<String, String> headers = new TreeMap<>();
    properties.stringPropertyNames().forEach(n -> headers.put(n, properties.getProperty(n)));
    return headers;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof HttpHeaders that
        && file.equals(that.file)
        && namesInFile.equals(that.namesInFile)
        && given.equals(that.given);
  }

  @Override
  public int hashCode() {
    return Objects.hash(file, namesInFile, given);
  }

  @Override
  public String toString() {
    return "HttpHeaders" + names() + (file.equals(NO_FILE) ? "" : " of " + file);
  }
}
