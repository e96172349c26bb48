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
package dev.idem.pipelines.quickstart.environment;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * What a quickstart has at hand.
 *
 * @param mainClass the command line that the quickstart is a part of: it runs jobs as well
 * @param beamOptions what every job gets besides its own
 */
public record Environment(
    Directory directory,
    Children children,
    Broker broker,
    String mainClass,
    List<String> beamOptions,
    PrintWriter out) {

  /** Keeps a copy of the options. */
  public Environment {
    beamOptions = List.copyOf(beamOptions);
  }

  /** Returns a job to start. */
  public Jvm job(List<String> arguments) {
    List<String> all = new ArrayList<>(arguments);
    all.addAll(beamOptions);
    return Jvm.likeThis(mainClass, all);
  }

  /** Says a line at once, also if others say something meanwhile. */
  public synchronized void say(String line) {
    out.println(line);
    out.flush();
  }
}
