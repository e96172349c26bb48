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

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.AbstractAppender;
import org.apache.logging.log4j.core.config.Property;

/** Everything that is logged at level INFO or above while it is open. */
final class CapturedLog extends AbstractAppender implements AutoCloseable {
  private final Queue<String> lines = new ConcurrentLinkedQueue<>();
  private final LoggerContext context = (LoggerContext) LogManager.getContext(false);
  private final Level before = context.getRootLogger().getLevel();

  CapturedLog() {
    super("captured", null, null, true, Property.EMPTY_ARRAY);
    start();
    Logger root = context.getRootLogger();
    root.setLevel(Level.INFO);
    root.addAppender(this);
  }

  @Override
  public void append(LogEvent event) {
    lines.add(
        "%s %s %s"
            .formatted(
                event.getLoggerName(),
                event.getMessage().getFormattedMessage(),
                event.getThrown() == null ? "" : Causes.text(event.getThrown())));
  }

  String text() {
    return String.join("\n", lines);
  }

  @Override
  public void close() {
    context.getRootLogger().removeAppender(this);
    context.getRootLogger().setLevel(before);
  }
}
