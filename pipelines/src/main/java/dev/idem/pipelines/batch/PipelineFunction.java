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
package dev.idem.pipelines.batch;

import dev.idem.pipelines.event.Event;
import java.io.Serializable;
import org.apache.beam.sdk.values.PCollection;

/**
 * What a job does between its source and its targets: any Beam transforms over the events of one
 * batch.
 *
 * <p>The function must be deterministic: the same batch must give the same rows at every attempt,
 * so it takes no time but {@link Batch#clock()} and no random numbers. A batch whose content
 * changed between attempts is found before anything is committed, and refused. Every event it was
 * given must come out again, see {@link Event}.
 */
@FunctionalInterface
public interface PipelineFunction extends Serializable {

  /** Returns the events whose rows are written to the targets. */
  PCollection<Event> apply(Batch batch, PCollection<Event> events);
}
