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

/**
 * What is known of a file without reading it.
 *
 * @param name its name in its directory
 * @param directory whether it is a directory
 * @param size the bytes in it, any number for a directory
 * @param modified when it was last written, in milliseconds since 1970
 */
public record StoredFile(String name, boolean directory, long size, long modified) {}
