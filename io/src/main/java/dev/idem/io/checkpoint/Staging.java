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
package dev.idem.io.checkpoint;

import dev.idem.io.file.Storage;
import java.io.IOException;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Where the last step of a stage leaves its manifests for the driver: {@code staging/N-RUN} in the
 * checkpoint, one file a run.
 *
 * <p><b>Guarantee.</b> Of several attempts of one run the first published file stays, whole and
 * durable; later ones change nothing.
 *
 * <p><b>Requirements.</b> Workers and driver see the same directory.
 *
 * <p><b>State and cost.</b> Files stay until {@link #clear}.
 */
public final class Staging implements Serializable {

  static final String DIRECTORY = "staging";

  private static final long serialVersionUID = 1L;

  private static final Pattern RUN = Pattern.compile("[A-Za-z0-9_.-]+");

  private final String location;
  private final TreeMap<String, String> hadoopConfiguration;

  /**
   * Names the staging directory of a checkpoint; nothing is created.
   *
   * @param location the checkpoint, a local path, or a URI of a scheme that is supported
   */
  public Staging(String location) {
    this(location, Map.of());
  }

  /**
   * Names the staging directory of a checkpoint; nothing is created.
   *
   * @param location the checkpoint, a local path, or a URI of a scheme that is supported
   * @param hadoopConfiguration settings for the file system
   */
  public Staging(String location, Map<String, String> hadoopConfiguration) {
    this.location = Storage.location("Checkpoint", location);
    this.hadoopConfiguration = new TreeMap<>(hadoopConfiguration);
  }

  /**
   * Publishes the manifests of one run.
   *
   * @return false if another attempt of the run was first; then its file stays
   */
  public boolean publish(long batch, String run, String json) throws IOException {
    Storage storage = storage();
    storage.createDirectories(DIRECTORY);
    return storage.putIfAbsent(file(batch, run), json.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns what a run published, empty if nothing. */
  public Optional<String> read(long batch, String run) throws IOException {
    try {
      return Optional.of(new String(storage().read(file(batch, run)), StandardCharsets.UTF_8));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  /** Returns the storage that the staging directory is in. */
  public Storage open() throws IOException {
    Storage storage = storage();
    storage.createDirectories(DIRECTORY);
    return storage;
  }

  /** Returns where the staging directory is. */
  public String location() {
    return location;
  }

  /** Returns the directory in its storage. */
  public String directory() {
    return DIRECTORY + "/";
  }

  /** Returns what the names of the files of a batch begin with. */
  public String prefix(long batch) {
    return batch + "-";
  }

  /** Removes what all runs of a batch published, and what their crashes left behind. */
  public void clear(long batch) throws IOException {
    Storage storage = storage();
    for (String name : storage.names(DIRECTORY)) {
      if (name.startsWith(batch + "-") || name.startsWith("." + batch + "-")) {
        storage.delete(DIRECTORY + "/" + name);
      }
    }
  }

  /** Removes what all runs of a batch published, and the location, which must hold nothing else. */
  public void delete(long batch) throws IOException {
    clear(batch);
    Storage storage = storage();
    storage.delete(DIRECTORY);
    storage.delete("");
  }

  private Storage storage() {
    return Storage.at("Checkpoint", location, hadoopConfiguration);
  }

  private static String file(long batch, String run) {
    if (!RUN.matcher(run).matches()) {
      throw new IllegalArgumentException(
          "Run must be letters, digits, dots, dashes and underscores, but was: \""
              + run
              + "\". Give a random id.");
    }
    return DIRECTORY + "/" + batch + "-" + run;
  }
}
