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
package dev.idem.io.delta.maintenance;

/**
 * What {@link TableMaintenance#optimize} did, or would do.
 *
 * @param files how many files the wanted partitions had before
 * @param bytes their bytes
 * @param removedFiles how many of them were replaced
 * @param removedBytes their bytes
 * @param addedFiles how many files replace them; of a dry run, at least
 * @param addedBytes their bytes; 0 of a dry run
 * @param commits how many commits that took
 * @param yielded how many groups of files were left as they are, because other commits changed them
 *     or came first each time
 */
public record OptimizeResult(
    long files,
    long bytes,
    long removedFiles,
    long removedBytes,
    long addedFiles,
    long addedBytes,
    long commits,
    long yielded) {

  /** Returns how many files there are now, but for those that others added or removed meanwhile. */
  public long filesAfter() {
    return files - removedFiles + addedFiles;
  }

  /** Returns how many bytes they have. */
  public long bytesAfter() {
    return bytes - removedBytes + addedBytes;
  }
}
