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

import java.util.List;

/**
 * An answer to a bulk request whose status means that it was taken.
 *
 * @param status the status
 * @param text the body, in UTF-8
 * @param keys the idempotency keys of the items, in the order of the request
 */
public record BulkAnswer(int status, String text, List<String> keys) {}
