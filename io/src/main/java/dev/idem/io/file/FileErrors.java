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
package dev.idem.io.file;

/** The errors of this package; wording in one place. */
final class FileErrors {

  private FileErrors() {}

  static IllegalArgumentException location(String thing, String location) {
    return new IllegalArgumentException(
        thing
            + " must be a local path or a file: URI, or a directory of "
            + String.join(", ", Publication.schemes())
            + ", but was: \""
            + location
            + "\". Give a place that outlives the job and whose commits cannot overwrite each"
            + " other.");
  }

  static IllegalArgumentException credentials(String thing) {
    return new IllegalArgumentException(
        thing
            + " must be without credentials, but was: a URI with a password (not shown). Give them"
            + " as settings of the file system, by reference.");
  }

  static IllegalArgumentException literalSecret(String name) {
    return new IllegalArgumentException(
        "Hadoop setting \""
            + name
            + "\" must be given as a reference, but was: a literal (not shown). Use ${file:PATH} or"
            + " ${env:NAME}, or put it into core-site.xml.");
  }

  static IllegalArgumentException unresolved(String name, UnresolvedReferenceException cause) {
    return new IllegalArgumentException(
        "Hadoop setting \""
            + name
            + "\" must refer to "
            + (cause.isEnvironment()
                ? "an environment variable that is set"
                : "a file that is readable")
            + ", but was: \""
            + cause.name()
            + "\". Provide it where files are opened, on every worker.",
        cause);
  }

  static IllegalArgumentException noFileSystem(String scheme, Throwable cause) {
    return new IllegalArgumentException(
        "File system of "
            + scheme
            + ": must be on the class path, but was: absent. Add "
            + Publication.artifacts(scheme)
            + ".",
        cause);
  }
}
