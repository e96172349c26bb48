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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.testing.Covers;
import dev.idem.testing.S3Store;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.FilterFileSystem;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds every kind of storage to the one contract: local disk, a real HDFS, and an S3 store. */
class StorageTest {

  private static final int KEYS = 200;
  private static final int KEYS_IN_HDFS = 50;
  private static final String SECRET = "n0t-f0r-pr1nt";

  @TempDir(factory = MemoryDirectory.class)
  static Path root;

  private static MiniDFSCluster hdfs;
  private static S3Store s3;

  enum Kind {
    LOCAL,
    HDFS,
    S3A
  }

  @AfterAll
  static void stop() throws IOException {
    if (hdfs != null) {
      hdfs.shutdown(true);
    }
    if (s3 != null) {
      s3.close();
    }
  }

  private static Storage storage(Kind kind, String name) throws IOException {
    return switch (kind) {
      case LOCAL -> Storage.at("Test", root.resolve("local/" + name).toString(), Map.of());
      case HDFS -> Storage.at("Test", hdfs().getURI() + "/" + name, Map.of());
      case S3A -> Storage.at("Test", S3Store.location(name), s3Settings());
    };
  }

  private static MiniDFSCluster hdfs() throws IOException {
    if (hdfs == null) {
      Configuration configuration = new Configuration();
      configuration.set("hdfs.minidfs.basedir", root.resolve("hdfs").toString());
      hdfs = new MiniDFSCluster.Builder(configuration).numDataNodes(1).build();
    }
    return hdfs;
  }

  private static S3Store s3() {
    if (s3 == null) {
      s3 = S3Store.start();
    }
    return s3;
  }

  private static Map<String, String> s3Settings() throws IOException {
    Path secret = root.resolve("secret");
    Files.writeString(secret, SECRET + "\n");
    Map<String, String> settings = new TreeMap<>(s3().settings());
    settings.put("fs.s3a.access.key", "${file:" + secret + "}");
    settings.put("fs.s3a.secret.key", "${file:" + secret + "}");
    return settings;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(Storage storage, String name) throws IOException {
    return new String(storage.read(name), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @EnumSource
  void publishedFileIsThereOnceAndWhole(Kind kind) throws IOException {
    Storage storage = storage(kind, "published");
    storage.createDirectories("a");

    boolean first = storage.putIfAbsent("a/file", bytes("first"));
    boolean second = storage.putIfAbsent("a/file", bytes("second"));

    assertThat(first, is(true));
    assertThat(second, is(false));
    assertThat(text(storage, "a/file"), is("first"));
    assertThat(storage.names("a"), is(List.of("file")));
    StoredFile found = storage.find("a/file").orElseThrow();
    assertThat(found.name(), is("file"));
    assertThat(found.size(), is(5L));
    assertThat(found.directory(), is(false));
    assertThat(storage.find("a").orElseThrow().directory(), is(true));
    assertThat(storage.list("a", "fild").size(), is(1));
    assertThat(storage.list("a", "filf"), is(empty()));
    assertThat(text(storage, storage.path("a/file")), is("first"));
  }

  @ParameterizedTest
  @EnumSource
  @Covers.Row(50)
  void ofTwoWritersOfAFileExactlyOneWins(Kind kind) throws Exception {
    Storage storage = storage(kind, "rivals");
    int keys = kind == Kind.HDFS ? KEYS_IN_HDFS : KEYS;
    storage.createDirectories("");
    ExecutorService threads = Executors.newFixedThreadPool(2);
    CyclicBarrier both = new CyclicBarrier(2);
    List<Future<List<Boolean>>> results = new ArrayList<>();
    for (int writer = 0; writer < 2; writer++) {
      int me = writer;
      results.add(
          threads.submit(
              () -> {
                List<Boolean> won = new ArrayList<>();
                for (int key = 0; key < keys; key++) {
                  // Neither runs ahead, so both put nearly every key at the same time.
                  both.await();
                  won.add(storage.putIfAbsent("key-" + key, bytes(me + " wrote " + key)));
                }
                return won;
              }));
    }
    List<Boolean> one = results.get(0).get();
    List<Boolean> two = results.get(1).get();
    threads.shutdown();

    List<String> outcomes = new ArrayList<>();
    List<String> wanted = new ArrayList<>();
    for (int key = 0; key < keys; key++) {
      int winners = (one.get(key) ? 1 : 0) + (two.get(key) ? 1 : 0);
      outcomes.add(winners + " won, and " + text(storage, "key-" + key));
      wanted.add("1 won, and " + (one.get(key) ? 0 : 1) + " wrote " + key);
    }
    assertThat(outcomes, is(wanted));
    assertThat(storage.names("").size(), is(keys));
  }

  @ParameterizedTest
  @EnumSource
  void replacedFileHasTheNewContentAlone(Kind kind) throws IOException {
    Storage storage = storage(kind, "replaced");
    storage.createDirectories("");

    storage.replace("file", bytes("a long first content"));
    storage.replace("file", bytes("second"));

    assertThat(text(storage, "file"), is("second"));
    assertThat(storage.names(""), is(List.of("file")));
  }

  @ParameterizedTest
  @EnumSource
  void fileThatWasWrittenIsReadFromAnyPosition(Kind kind) throws IOException {
    Storage storage = storage(kind, "written");
    storage.createDirectories("p=a%20b");

    try (OutputStream stream = storage.create("p=a%20b/file")) {
      stream.write(bytes("0123456789"));
    }
    storage.forceFile("p=a%20b/file");
    storage.forceDirectory("p=a%20b");

    ByteBuffer read = ByteBuffer.allocate(3);
    try (SeekableByteChannel channel = storage.open("p=a%20b/file")) {
      assertThat(channel.size(), is(10L));
      channel.position(4);
      int count = 0;
      while (read.hasRemaining() && count >= 0) {
        count = channel.read(read);
      }
      assertThat(channel.position(), is(7L));
    }
    assertThat(new String(read.array(), StandardCharsets.UTF_8), is("456"));
    assertThrows(IOException.class, () -> storage.create("p=a%20b/file").close());
    assertThat(text(storage, "p=a%20b/file"), is("0123456789"));
  }

  @ParameterizedTest
  @EnumSource
  void absentFilesAreToldFromOthers(Kind kind) throws IOException {
    Storage storage = storage(kind, "absent");

    assertThrows(NoSuchFileException.class, () -> storage.read("a/file"));
    assertThrows(NoSuchFileException.class, () -> storage.open("a/file").close());
    assertThat(storage.find("a/file").isEmpty(), is(true));
    assertThat(storage.names("a"), is(empty()));
    assertThat(storage.list("a", ""), is(empty()));
    assertThat(storage.delete("a/file"), is(false));
    storage.move("a", "b");
    assertThat(storage.find("b").isEmpty(), is(true));
  }

  @ParameterizedTest
  @EnumSource
  void moveThatWasInterruptedIsEndedByTheSameCall(Kind kind) throws IOException {
    Storage storage = storage(kind, "moved");
    storage.createDirectories("from");
    storage.putIfAbsent("from/1", bytes("one"));
    storage.putIfAbsent("from/2", bytes("two"));
    if (kind != Kind.LOCAL) {
      // What a crash leaves that came after the first copy; a local disk moves in one step.
      storage.createDirectories("to");
      storage.putIfAbsent("to/1", bytes("one"));
    }

    storage.move("from", "to");

    assertThat(storage.names("to"), is(List.of("1", "2")));
    assertThat(text(storage, "to/1") + text(storage, "to/2"), is("onetwo"));
    assertThat(storage.find("from").isEmpty(), is(true));
    assertThat(storage.delete("to/1"), is(true));
    assertThat(storage.names("to"), is(List.of("2")));
  }

  @Test
  void fileThatCannotBeWrittenIsNeverPublishedInHalf() throws IOException {
    FileSystem full =
        new FilterFileSystem(FileSystem.newInstance(hdfs().getURI(), new Configuration())) {
          @Override
          public FSDataOutputStream create(org.apache.hadoop.fs.Path path, boolean overwrite)
              throws IOException {
            FSDataOutputStream stream = super.create(path, overwrite);
            return new FSDataOutputStream(stream, null) {
              @Override
              public synchronized void write(byte[] bytes, int offset, int length)
                  throws IOException {
                super.write(bytes, offset, length / 2);
                throw new IOException("no space left");
              }
            };
          }
        };
    Storage storage = new HadoopStorage(full, hdfs().getURI() + "/full", Publication.RENAME);
    storage.createDirectories("");

    var e = assertThrows(IOException.class, () -> storage.putIfAbsent("file", bytes("content")));
    var r = assertThrows(IOException.class, () -> storage.replace("file", bytes("content")));

    assertThat(e.getMessage() + r.getMessage(), is("no space leftno space left"));
    assertThat(storage.names(""), is(empty()));
  }

  @Test
  void writerWhoseAnswerWasLostKnowsItsOwnFile() throws IOException {
    Storage storage = storage(Kind.S3A, "lost");
    AtomicInteger lost = new AtomicInteger();
    s3().loseAnswers(
            request ->
                request.method().equals("PUT")
                    && request.path().endsWith("/lost/file")
                    && lost.getAndIncrement() == 0);

    boolean published = storage.putIfAbsent("file", bytes("mine"));
    s3().loseAnswers(request -> false);

    assertThat(lost.get(), is(2));
    assertThat(published, is(true));
    assertThat(storage.putIfAbsent("file", bytes("another's")), is(false));
    assertThat(text(storage, "file"), is("mine"));
  }

  @Test
  void everyPublicationInS3StatesTheCondition() throws IOException {
    Storage storage = storage(Kind.S3A, "conditional");

    storage.putIfAbsent("file", bytes("1"));

    List<Boolean> conditions =
        s3().requests().stream()
            .filter(request -> request.path().endsWith("/conditional/file"))
            .filter(request -> !request.method().equals("HEAD"))
            .map(S3Store.Request::ifAbsent)
            .toList();
    assertThat(conditions, is(List.of(true)));
  }

  @Test
  void secretsAreFollowedWhereFilesAreOpenedAndInNoMessage() throws IOException {
    Map<String, String> literal = Map.of("fs.s3a.secret.key", SECRET);
    var e =
        assertThrows(
            IllegalArgumentException.class, () -> Storage.at("Test", "s3a://b/t", literal));
    var credentials =
        assertThrows(
            IllegalArgumentException.class,
            () -> Storage.location("Test", "s3a://key:" + SECRET + "@b/t"));
    Map<String, String> dangling = Map.of("fs.s3a.secret.key", "${file:/no/such/file}");
    var unresolved =
        assertThrows(
            IllegalArgumentException.class, () -> Storage.at("Test", "s3a://b/t", dangling));

    assertThat(
        e.getMessage(),
        is(
            "Hadoop setting \"fs.s3a.secret.key\" must be given as a reference, but was: a literal"
                + " (not shown). Use ${file:PATH} or ${env:NAME}, or put it into core-site.xml."));
    assertThat(
        credentials.getMessage(),
        is(
            "Test must be without credentials, but was: a URI with a password (not shown). Give"
                + " them as settings of the file system, by reference."));
    assertThat(
        unresolved.getMessage(),
        is(
            "Hadoop setting \"fs.s3a.secret.key\" must refer to a file that is readable, but was:"
                + " \"/no/such/file\". Provide it where files are opened, on every worker."));
    storage(Kind.S3A, "secret").putIfAbsent("file", bytes("1"));
    assertThat(s3().filesWith(SECRET), is(empty()));
  }

  @Test
  void whatIsASecretIsToldByItsName() {
    List<String> secrets =
        List.of(
            "fs.s3a.access.key",
            "fs.s3a.bucket.b.secret.key",
            "fs.s3a.session.token",
            "fs.s3a.encryption.key",
            "fs.s3a.proxy.password",
            "fs.azure.account.key.a.dfs.core.windows.net",
            "fs.azure.account.oauth2.client.secret",
            "fs.azure.sas.fixed.token.a.dfs.core.windows.net",
            "fs.gs.auth.service.account.private.key");
    List<String> others =
        List.of(
            "fs.s3a.aws.credentials.provider",
            "hadoop.security.credential.provider.path",
            "fs.azure.sas.token.provider.type",
            "parquet.compression",
            "fs.s3a.endpoint");

    assertThat(
        secrets.stream().map(name -> refused(Map.of(name, SECRET))).toList(), everyItem(is(true)));
    assertThat(
        secrets.stream().map(name -> refused(Map.of(name, "${env:KEY}"))).toList(),
        everyItem(is(false)));
    assertThat(
        others.stream().map(name -> refused(Map.of(name, SECRET))).toList(), everyItem(is(false)));
  }

  private static boolean refused(Map<String, String> settings) {
    try {
      Storage.at("Test", root.toString(), settings);
      return false;
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage(), not(containsString(SECRET)));
      return true;
    }
  }

  @Test
  void schemesThatAreNotSupportedAreRefusedByName() {
    for (String location :
        List.of("s3://b/t", "s3n://b/t", "wasb://c@a/t", "ftp://h/t", "s3a://b", "hdfs:///t")) {
      var e =
          assertThrows(
              IllegalArgumentException.class, () -> Storage.at("Checkpoint", location, Map.of()));

      assertThat(
          e.getMessage(),
          containsString(
              "Checkpoint must be a local path or a file: URI, or a directory of abfs, abfss, gs,"
                  + " hdfs, s3a, viewfs, but was: \""
                  + location
                  + "\"."));
    }
  }

  @Test
  void fileSystemThatIsNotOnTheClassPathIsNamedWithItsArtifact() {
    var gs =
        assertThrows(
            IllegalArgumentException.class, () -> Storage.at("Test", "gs://b/t", Map.of()));
    var abfs =
        assertThrows(
            IllegalArgumentException.class, () -> Storage.at("Test", "abfss://c@a/t", Map.of()));

    assertThat(
        gs.getMessage(),
        is(
            "File system of gs: must be on the class path, but was: absent. Add"
                + " com.google.cloud.bigdataoss:gcs-connector, its jar with the classifier"
                + " shaded."));
    assertThat(
        abfs.getMessage(),
        containsString("Add org.apache.hadoop:hadoop-azure of the version of hadoop-client-api."));
  }

  @Test
  void locationsAreWrittenInOneWay() {
    assertThat(Storage.location("Test", "S3A://Bucket//a/b/"), is("s3a://Bucket/a/b"));
    assertThat(Storage.location("Test", "abfss://c@a.h/t"), is("abfss://c@a.h/t"));
    assertThat(Storage.location("Test", "hdfs://n:8020/a b"), is("hdfs://n:8020/a b"));
    assertThat(Storage.location("Test", "file:///a/./b"), is("/a/b"));
  }
}
