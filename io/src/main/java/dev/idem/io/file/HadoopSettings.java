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

import java.util.Map;
import java.util.regex.Pattern;

/**
 * Settings for Hadoop's file systems, made so that no secret travels with a pipeline.
 *
 * <p>A value may hold {@code ${env:NAME}} and {@code ${file:PATH}}, followed where the file system
 * is opened: on the worker, from its environment and file system. A literal secret is refused; what
 * is a secret is judged by the name of the setting.
 */
final class HadoopSettings {

  private static final Pattern SECRET_NAME =
      Pattern.compile(
          "(?i).*(secret|password|passwd|(access|session|account|encryption|private|api)[._]?key"
              + "|keystore\\.pass|token(?![._](provider|binding|service|renew))).*");

  private HadoopSettings() {}

  static void refuseLiteralSecrets(Map<String, String> settings) {
    settings.forEach(
        (name, value) -> {
          if (SECRET_NAME.matcher(name).matches() && !References.isReference(value)) {
            throw FileErrors.literalSecret(name);
          }
        });
  }

  static String follow(String name, String value) {
    try {
      return References.follow(value);
    } catch (UnresolvedReferenceException e) {
      throw FileErrors.unresolved(name, e);
    }
  }
}
