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
package dev.idem.pipelines.job;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Takes SIGTERM and SIGINT, so that a batch under way can end and the process with it. By
 * reflection, because the compiler warns of {@code sun.misc.Signal} and offers no other way.
 */
final class TerminationSignal {

  /** The exit code of a process that SIGTERM ended. */
  private static final int TERMINATED = 143;

  private final AtomicBoolean received = new AtomicBoolean();

  /**
   * On SIGTERM or SIGINT counts {@code stop} down and lets the batch under way end; halts the JVM
   * if {@code ended} is not counted down in time.
   */
  static void stopOn(CountDownLatch stop, CountDownLatch ended, Duration timeout) {
    install(
        () -> {
          stop.countDown();
          Thread watch =
              new Thread(
                  () -> {
                    try {
                      if (!ended.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                        Runtime.getRuntime().halt(TERMINATED);
                      }
                    } catch (InterruptedException e) {
                      Thread.currentThread().interrupt();
                    }
                  },
                  "idem-shutdown");
          watch.setDaemon(true);
          watch.start();
        });
  }

  /** Begins to take the signals; {@code then} runs, once, on a thread of the JVM's. */
  private static void install(Runnable then) {
    TerminationSignal signal = new TerminationSignal();
    try {
      Class<?> signalClass = Class.forName("sun.misc.Signal");
      Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              TerminationSignal.class.getClassLoader(),
              new Class<?>[] {handlerClass},
              (proxy, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  if (signal.received.compareAndSet(false, true)) {
                    then.run();
                  }
                  return null;
                }
                return switch (method.getName()) {
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "equals" -> proxy == arguments[0];
                  default -> "TerminationSignal";
                };
              });
      for (String name : new String[] {"TERM", "INT"}) {
        signalClass
            .getMethod("handle", signalClass, handlerClass)
            .invoke(null, signalClass.getConstructor(String.class).newInstance(name), handler);
      }
    } catch (InvocationTargetException e) {
      throw new IllegalStateException(
          "The JVM must let a job take SIGTERM; run it without -Xrs.", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("The JVM must have sun.misc.Signal.", e);
    }
  }
}
