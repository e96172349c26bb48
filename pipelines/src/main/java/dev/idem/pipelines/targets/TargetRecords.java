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
package dev.idem.pipelines.targets;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.idem.io.checkpoint.Plan;
import dev.idem.io.checkpoint.PlanCodec;
import dev.idem.io.checkpoint.Summary;
import dev.idem.io.checkpoint.SummaryCodec;

/** What a job has a target remember of a batch: the plan and the summary, as one text. */
public final class TargetRecords {

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private TargetRecords() {}

  /** What a target remembers of a batch. */
  public record Held(Plan plan, Summary summary) {}

  static String body(Plan plan, Summary summary) {
    try {
      ObjectNode body = MAPPER.createObjectNode();
      body.set("plan", MAPPER.readTree(PlanCodec.toJson(plan)));
      body.set("summary", MAPPER.readTree(SummaryCodec.toJson(summary)));
      return body.toString();
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Plan and summary must be JSON.", e);
    }
  }

  /** Pipelines that commit without a job leave records without a plan; they have no checkpoint. */
  static boolean isOfAJob(String body) {
    try {
      return MAPPER.readTree(body).has("plan");
    } catch (JsonProcessingException e) {
      return false;
    }
  }

  static Held held(String body) {
    try {
      JsonNode json = MAPPER.readTree(body);
      return new Held(
          PlanCodec.fromJson(json.get("plan").toString()),
          SummaryCodec.fromJson(json.get("summary").toString()));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Record of a batch must be JSON, but could not be read.", e);
    }
  }
}
