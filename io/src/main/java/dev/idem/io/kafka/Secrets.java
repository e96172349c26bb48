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
package dev.idem.io.kafka;

import dev.idem.io.file.References;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.SaslConfigs;

/** Tells secret settings from others, and keeps values out of messages. */
final class Secrets {
  /** Kafka does not define these; the name is all there is to judge by. */
  private static final Pattern SECRET_NAME =
      Pattern.compile(
          "(?i).*(password|passphrase|secret|credential|token|jaas|private|user\\.?info|api\\.?key).*");

  private static final Pattern OPTION =
      Pattern.compile("([\\w.]+)\\s*=\\s*(\"(?:[^\"\\\\]|\\\\.)*\"|'[^']*'|[^\\s;]+)");

  /** Options of login modules that are no secrets; any other is taken for one. */
  private static final Set<String> OPEN_OPTIONS =
      Set.of(
          "username",
          "useKeyTab",
          "keyTab",
          "storeKey",
          "principal",
          "serviceName",
          "useTicketCache",
          "ticketCache",
          "renewTGT",
          "doNotPrompt",
          "isInitiator",
          "refreshKrb5Config",
          "debug",
          "tokenauth",
          "clientId",
          "scope");

  private static final Pattern QUOTED_VALUE =
      Pattern.compile("Invalid value .* for configuration", Pattern.DOTALL);

  /** A quote within a password makes a part of it look like an option or a flag. */
  private static final Pattern QUOTED_LOGIN =
      Pattern.compile("'.*' in JAAS config", Pattern.DOTALL);

  private static final int SHORTEST_HIDDEN = 3;

  private Secrets() {}

  static boolean isLiteralSecret(String name, String value) {
    if (!isSecret(name) || value.isEmpty() || References.isReference(value)) {
      return false;
    }
    return !name.equals(SaslConfigs.SASL_JAAS_CONFIG) || hasLiteralSecretOption(value);
  }

  private static boolean isSecret(String name) {
    for (ConfigDef client : clients()) {
      ConfigDef.ConfigKey key = client.configKeys().get(name);
      if (key != null) {
        return key.type == ConfigDef.Type.PASSWORD;
      }
    }
    return SECRET_NAME.matcher(name).matches();
  }

  private static List<ConfigDef> clients() {
    return Arrays.asList(
        ConsumerConfig.configDef(), ProducerConfig.configDef(), AdminClientConfig.configDef());
  }

  private static boolean hasLiteralSecretOption(String jaas) {
    Matcher option = OPTION.matcher(jaas);
    while (option.find()) {
      String value = option.group(2).replaceAll("^[\"']|[\"']$", "");
      if (!OPEN_OPTIONS.contains(option.group(1))
          && !value.isEmpty()
          && !References.isReference(value)) {
        return true;
      }
    }
    return false;
  }

  /** Returns a message of Kafka's without any value of the settings, or part of a login's. */
  static String hide(String message, Map<String, String> settings) {
    String hidden = QUOTED_VALUE.matcher(message).replaceAll("Invalid value for configuration");
    hidden = QUOTED_LOGIN.matcher(hidden).replaceAll("[hidden] in JAAS config");
    List<String> longestFirst =
        settings.values().stream()
            .filter(value -> value.length() >= SHORTEST_HIDDEN)
            .sorted((a, b) -> Integer.compare(b.length(), a.length()))
            .toList();
    for (String value : longestFirst) {
      hidden = hidden.replace(value, "[hidden]");
    }
    return hidden;
  }
}
