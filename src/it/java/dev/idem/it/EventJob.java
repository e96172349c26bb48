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
package dev.idem.it;

import dev.idem.io.checkpoint.CheckpointView;
import dev.idem.io.delta.table.DeltaRows;
import dev.idem.io.delta.table.DeltaTable;
import dev.idem.pipelines.command.Idem;
import dev.idem.pipelines.command.IdemInProcess;
import dev.idem.testing.KafkaBroker;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;
import org.apache.beam.sdk.values.Row;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * A {@code kafka-to-delta} job with a topic of its own and its files in one directory. Events have
 * an id, a time and an amount that follows from the id.
 */
final class EventJob {

  static final Instant FIRST = Instant.parse("2026-01-01T00:00:00Z");

  final KafkaBroker broker;
  final String topic;
  final Path directory;
  private final Map<String, String> options = new LinkedHashMap<>();

  private EventJob(KafkaBroker broker, String topic, Path directory) {
    this.broker = broker;
    this.directory = directory;
    this.topic = topic;
    options.put("--bootstrapServers", broker.bootstrapServers());
    options.put("--topics", topic);
    options.put("--table", table().toString());
    options.put("--checkpoint", checkpoint().toString());
    options.put("--keys", "id");
    options.put("--eventTime", "at");
    options.put("--maxRecordsPerBatch", "10");
  }

  /** A job on the broker that all tests share, with a topic of one partition. */
  static EventJob in(Path directory) {
    return in(directory, 1);
  }

  static EventJob in(Path directory, int partitions) {
    return on(KafkaBroker.shared(), directory, partitions);
  }

  static EventJob on(KafkaBroker broker, Path directory) {
    return on(broker, directory, 1);
  }

  private static EventJob on(KafkaBroker broker, Path directory, int partitions) {
    String topic = "events-" + UUID.randomUUID();
    broker.createTopic(topic, partitions, Map.of());
    return new EventJob(broker, topic, directory);
  }

  /** Returns this job with its files at another place. */
  EventJob at(Path place) {
    EventJob moved = new EventJob(broker, topic, place);
    moved.options.put("--maxRecordsPerBatch", options.get("--maxRecordsPerBatch"));
    return moved;
  }

  /** Sets an option for all runs; null takes it away. */
  EventJob with(String name, String value) {
    if (value == null) {
      options.remove(name);
    } else {
      options.put(name, value);
    }
    return this;
  }

  Path table() {
    return directory.resolve("table");
  }

  Path deadLetters() {
    return directory.resolve("table_dead_letter");
  }

  /** Returns the only memory beside the table. */
  Path memory() {
    return Listing.of(directory.resolve("table_memory")).get(0);
  }

  Path checkpoint() {
    return directory.resolve("checkpoint");
  }

  /** Sends the events {@code from} up to, and without, {@code to}, to partition 0. */
  void send(int from, int to) {
    broker.sendAll(IntStream.range(from, to).mapToObj(id -> record(0, event(id))).toList());
  }

  void sendValue(String value) {
    broker.sendAll(List.of(record(0, value)));
  }

  ProducerRecord<byte[], byte[]> record(int partition, String value) {
    return new ProducerRecord<>(topic, partition, null, value.getBytes(StandardCharsets.UTF_8));
  }

  static String event(int id) {
    return "{\"id\":\"e%d\",\"at\":\"%s\",\"amount\":%d}"
        .formatted(id, FIRST.plusSeconds(id), id * 10);
  }

  /** Returns what {@link #rows} holds when each of these events is there once. */
  static List<String> events(int from, int to) {
    return IntStream.range(from, to).mapToObj(id -> "e" + id + "=" + id * 10).sorted().toList();
  }

  /** Runs the job in this JVM; an option given here replaces the job's own. */
  Outcome run(String... more) {
    return IdemInProcess.run(command(more).toArray(String[]::new));
  }

  /** Runs the job in a process of its own. */
  Outcome fork(String... more) {
    return Forked.idem(command(more));
  }

  /** Starts the job in a process of its own. */
  JobProcess start(String... more) {
    return JobProcess.start(directory.resolve("output"), Idem.class, command(more));
  }

  /** Runs the job in a process of its own up to a crash point. */
  void crash(String point, String... more) {
    List<String> all = new ArrayList<>(List.of(more));
    all.add("--crashAt=" + point);
    fork(all.toArray(String[]::new)).exits(86);
  }

  /** Returns what a command line says to run this job. */
  List<String> command(String... more) {
    Map<String, String> all = new LinkedHashMap<>(options);
    for (String option : more) {
      int equals = option.indexOf('=');
      all.put(
          equals < 0 ? option : option.substring(0, equals),
          equals < 0 ? "" : option.substring(equals + 1));
    }
    List<String> arguments = new ArrayList<>(List.of("kafka-to-delta"));
    all.forEach((name, value) -> arguments.add(value.isEmpty() ? name : name + "=" + value));
    return arguments;
  }

  /** Returns the table's rows as {@code id=amount}, sorted. */
  List<String> rows() {
    return rows(table());
  }

  static List<String> rows(Path table) {
    return DeltaRows.read(table.toString()).select("id", "amount").toList().stream()
        .map(row -> row.getValue("id") + "=" + row.getValue("amount"))
        .sorted()
        .toList();
  }

  List<Row> deadLetterRows() {
    return DeltaRows.read(deadLetters().toString()).toList();
  }

  /** Returns how many keys the memory holds. */
  long rememberedKeys() {
    return DeltaRows.read(memory().toString()).select("key_high", "key_low").toList().stream()
        .distinct()
        .count();
  }

  /** Returns the version of each table that exists, by name. */
  Map<String, Long> versions() {
    Map<String, Long> versions = new LinkedHashMap<>();
    for (Path path : List.of(table(), deadLetters(), memory())) {
      DeltaTable.at(path.toString(), Map.of())
          .state()
          .ifPresent(state -> versions.put(directory.relativize(path).toString(), state.version()));
    }
    return versions;
  }

  CheckpointView view() {
    return view(checkpoint());
  }

  static CheckpointView view(Path checkpoint) {
    try {
      return CheckpointView.read(checkpoint.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the batches that the checkpoint keeps, as {@code N:STATE}. */
  List<String> batches() {
    return view().batches().stream().map(each -> each.batch() + ":" + each.state()).toList();
  }

  /** Returns a count of a batch's commit, 0 if the batch had none of it. */
  long count(long batch, String name) {
    return view().batches().stream()
        .filter(each -> each.batch() == batch)
        .findFirst()
        .orElseThrow()
        .commit()
        .orElseThrow()
        .summary()
        .counts()
        .getOrDefault(name, 0L);
  }

  static byte[] bytes(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
