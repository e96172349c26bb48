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

import java.io.Serializable;
import java.time.Duration;

/**
 * How a job treats event time.
 *
 * @param watermarkDelay how far the watermark stays behind the greatest event time
 * @param dedupHorizon how long, in event time, a key is remembered
 * @param maxFutureSkew how far ahead of the clock an event time may be and still move the watermark
 * @param idleAfter how long a partition must have been read out to hold the watermark no more
 */
public record EventTimeRules(
    Duration watermarkDelay, Duration dedupHorizon, Duration maxFutureSkew, Duration idleAfter)
    implements Serializable {}
