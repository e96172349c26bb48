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

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FSDataOutputStreamBuilder;
import org.apache.hadoop.fs.FileContext;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Options.CreateFileOptionKeys;
import org.apache.hadoop.fs.Options.Rename;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.StreamCapabilities;

/** How a file system makes a file appear whole, under a name that is free or may be taken. */
enum Publication {

  /** By a temporary file and a rename in one step, which fails if the name is taken. */
  RENAME {
    @Override
    boolean hasDirectories() {
      return true;
    }

    @Override
    boolean publish(FileSystem files, Path target, byte[] bytes) throws IOException {
      Path temporary = writeTemporary(files, target, bytes);
      if (files.rename(temporary, target)) {
        return true;
      }
      if (!files.delete(temporary, false)) {
        throw new IOException(
            "File must be renamed to \"" + target + "\", but its end is not known.");
      }
      if (!files.exists(target)) {
        throw new IOException("File must be renamed to \"" + target + "\", but was not.");
      }
      return false;
    }

    @Override
    void replace(FileSystem files, Path target, byte[] bytes) throws IOException {
      Path temporary = writeTemporary(files, target, bytes);
      try {
        FileContext.getFileContext(files.getUri(), files.getConf())
            .rename(temporary, target, Rename.OVERWRITE);
      } catch (IOException e) {
        discard(files, temporary, e);
        throw e;
      }
    }
  },

  /** By a put that the store refuses if the name is taken; the file appears with its last byte. */
  CONDITIONAL_PUT {
    @Override
    boolean publish(FileSystem files, Path target, byte[] bytes) throws IOException {
      FSDataOutputStreamBuilder<?, ?> builder = files.createFile(target).overwrite(true);
      // Not optional: a file system that does not know the option must not put all the same.
      builder.must(CreateFileOptionKeys.FS_OPTION_CREATE_CONDITIONAL_OVERWRITE, true);
      write(builder.build(), bytes);
      return true;
    }
  },

  /** By creating a file, which the store refuses if the name is taken; it appears when closed. */
  CREATE {
    @Override
    boolean publish(FileSystem files, Path target, byte[] bytes) throws IOException {
      write(files.create(target, false), bytes);
      return true;
    }
  };

  private static final Map<String, Publication> OF_SCHEMES =
      Map.of(
          "hdfs", RENAME,
          "viewfs", RENAME,
          "abfs", RENAME,
          "abfss", RENAME,
          "s3a", CONDITIONAL_PUT,
          "gs", CREATE);

  /** Returns how the file system of a scheme publishes, empty if none is known to be safe. */
  static Optional<Publication> of(String scheme) {
    return Optional.ofNullable(OF_SCHEMES.get(scheme));
  }

  /** Returns the schemes that are supported, sorted. */
  static List<String> schemes() {
    return OF_SCHEMES.keySet().stream().sorted().toList();
  }

  /** Returns what a scheme takes on the class path. */
  static String artifacts(String scheme) {
    return switch (scheme) {
      case "s3a" ->
          "org.apache.hadoop:hadoop-aws and org.apache.commons:commons-lang3, with"
              + " software.amazon.awssdk:bundle, or s3 and s3-transfer-manager. Take hadoop-aws of"
              + " the version of hadoop-client-api";
      case "abfs", "abfss" -> "org.apache.hadoop:hadoop-azure of the version of hadoop-client-api";
      case "gs" -> "com.google.cloud.bigdataoss:gcs-connector, its jar with the classifier shaded";
      default -> "org.apache.hadoop:hadoop-client-runtime of the version of hadoop-client-api";
    };
  }

  /** Returns whether a directory must be created before a file in it. */
  boolean hasDirectories() {
    return false;
  }

  /**
   * Publishes a file.
   *
   * @return false if the name is taken by another file
   * @throws IOException if it is not known whether the file was published, or it was not
   */
  abstract boolean publish(FileSystem files, Path target, byte[] bytes) throws IOException;

  /** Publishes a file under a name that may be taken. */
  void replace(FileSystem files, Path target, byte[] bytes) throws IOException {
    write(files.create(target, true), bytes);
  }

  /** Creates a file that must not exist; it is durable once the stream is closed. */
  OutputStream create(FileSystem files, Path target) throws IOException {
    FSDataOutputStream stream = files.create(target, false);
    return new FilterOutputStream(stream) {
      private boolean closed;

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        out.write(bytes, offset, length);
      }

      @Override
      public void close() throws IOException {
        if (!closed) {
          closed = true;
          force(stream);
          stream.close();
        }
      }
    };
  }

  private static Path writeTemporary(FileSystem files, Path target, byte[] bytes)
      throws IOException {
    String name = DurableFiles.temporaryName(target.getName());
    Path temporary = new Path(target.getParent() + "/" + name);
    try {
      write(files.create(temporary, false), bytes);
    } catch (IOException e) {
      discard(files, temporary, e);
      throw e;
    }
    return temporary;
  }

  private static void discard(FileSystem files, Path temporary, IOException failure) {
    try {
      files.delete(temporary, false);
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  /** Writes and closes a file; one that cannot be written is left open, since closing publishes. */
  private static void write(FSDataOutputStream stream, byte[] bytes) throws IOException {
    try {
      stream.write(bytes);
      force(stream);
    } catch (IOException e) {
      if (stream.hasCapability(StreamCapabilities.ABORTABLE_STREAM)) {
        stream.abort();
      }
      throw e;
    }
    stream.close();
  }

  /** Closing does not force a file of HDFS; object stores have nothing to force before. */
  private static void force(FSDataOutputStream stream) throws IOException {
    if (stream.hasCapability(StreamCapabilities.HSYNC)) {
      stream.hsync();
    }
  }
}
