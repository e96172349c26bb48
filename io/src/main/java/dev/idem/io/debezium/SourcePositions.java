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
package dev.idem.io.debezium;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/*
 * Along the offsets of a partition, an event tells of a failover if its position is before the
 * greatest one so far, and its time after the latest one so far. The first alone is what events that
 * are sent again look like, and they are no later than what was there before. The second alone is
 * nothing, and an earlier time at a later position is what long transactions look like in a binlog.
 *
 * Workers see records in any order, so they keep, for stretches of offsets, the greatest position
 * and the latest time. Stretches are one offset as long as that makes few of them; then all are
 * doubled. What is kept depends on the set of records alone: the length is the least that makes few
 * stretches, and greatest values can be taken in any order.
 */
/**
 * How far sources have come, partition by partition, to find a position that goes back because a
 * database was failed over to a copy that lagged behind, or restored from a backup.
 *
 * <p><b>Guarantee.</b> An event is found if it happened later than all before it in its partition,
 * at a position before one of them. Events that are sent again, as connectors do after a restart,
 * are not found: they are no later. What is found, and what is kept, does not depend on the order
 * in which records are added, nor on how they are grouped and merged. Of {@value #STRETCHES}
 * records of a partition in a batch and less, every one is looked at. Of more, stretches of
 * successive offsets are, at most {@value #STRETCHES}: a log that went back is found if it stays
 * behind for two of them.
 *
 * <p>What is found is the first such event, before it is applied. Nothing is found if the database
 * went back and on again without sending any event.
 *
 * <p><b>State and cost.</b> Two marks a partition and source between batches, at most {@value
 * #STRETCHES} pairs of them within one (some 10 kB of JSON). Instances are not for several threads.
 *
 * <p><b>Example.</b> Workers add, one step merges what they have with the positions up to the last
 * batch, and the driver keeps the result if nothing is found.
 *
 * <pre>{@code
 * SourcePositions positions = new SourcePositions();
 * positions.add("orders-0", offset, changes.position());
 * ...
 * SourcePositions all = SourcePositions.fromJson(lastBatch);
 * all.merge(positions);
 * Optional<PositionWentBack> found = all.wentBack(SourcePositions.DEFAULT_TOLERANCE);
 * String forTheNextBatch = all.settled().toJson();
 * }</pre>
 */
public final class SourcePositions {

  /** By how much an event must be later to count as later. */
  public static final Duration DEFAULT_TOLERANCE = Duration.ofSeconds(1);

  private static final int STRETCHES = 256;
  private static final int VERSION = 1;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Map<Place, Course> courses = new TreeMap<>();

  /** One partition and one source in it. */
  private record Place(String partition, String source) implements Comparable<Place> {
    @Override
    public int compareTo(Place other) {
      int byPartition = partition.compareTo(other.partition);
      return byPartition != 0 ? byPartition : source.compareTo(other.source);
    }
  }

  /** An event at its offset. */
  private record Mark(SourcePosition position, long offset) {

    long time() {
      return position.timestamp();
    }

    private static final Comparator<Mark> BY_POSITION =
        Comparator.comparing(mark -> mark.position.numbers(), SourcePosition::compare);

    private static final Comparator<Mark> BY_TIME = Comparator.comparingLong(Mark::time);
    private static final Comparator<Mark> FIRST = Comparator.comparingLong(m -> -m.offset);

    /** Of two at the same position the one that came first is the greater. */
    static final Comparator<Mark> HIGHEST = BY_POSITION.thenComparing(FIRST).thenComparing(BY_TIME);

    /** Of two at the same time the one that is farther is the greater. */
    static final Comparator<Mark> LATEST = BY_TIME.thenComparing(BY_POSITION).thenComparing(FIRST);
  }

  /** The marks of some events. */
  private record Marks(Mark highest, Mark latest) {

    static Marks merge(Marks left, Marks right) {
      return new Marks(
          BinaryOperator.maxBy(Mark.HIGHEST).apply(left.highest, right.highest),
          BinaryOperator.maxBy(Mark.LATEST).apply(left.latest, right.latest));
    }

    /** Returns the greatest position if an event that is later than a time is before it. */
    Optional<Mark> ifPassed(Mark event, long time) {
      return event.time() > time && event.position.isBefore(highest.position)
          ? Optional.of(highest)
          : Optional.empty();
    }
  }

  /** What is known of one place: what was before, and the stretches of offsets of the batch. */
  private static final class Course {
    private Marks before;
    private int shift;
    private TreeMap<Long, Marks> stretches = new TreeMap<>();

    void add(Mark mark) {
      stretches.merge(mark.offset() >> shift, new Marks(mark, mark), Marks::merge);
      shorten();
    }

    void merge(Course other) {
      if (other.before != null) {
        before = before == null ? other.before : Marks.merge(before, other.before);
      }
      lengthen(Math.max(shift, other.shift));
      other.stretches.forEach(
          (index, marks) -> stretches.merge(index >> (shift - other.shift), marks, Marks::merge));
      shorten();
    }

    private void shorten() {
      while (stretches.size() > STRETCHES) {
        lengthen(shift + 1);
      }
    }

    private void lengthen(int longer) {
      TreeMap<Long, Marks> longerOnes = new TreeMap<>();
      int by = longer - shift;
      stretches.forEach((index, marks) -> longerOnes.merge(index >> by, marks, Marks::merge));
      stretches = longerOnes;
      shift = longer;
    }

    Optional<PositionWentBack> wentBack(String partition, long tolerance) {
      Marks soFar = before;
      for (Marks stretch : stretches.values()) {
        Mark last = stretch.latest();
        Optional<Mark> earlier = Optional.empty();
        if (soFar != null) {
          earlier = soFar.ifPassed(last, soFar.latest().time() + tolerance);
        }
        if (earlier.isEmpty() && stretch.highest().offset() < last.offset()) {
          long time = stretch.highest().time();
          earlier =
              stretch.ifPassed(
                  last, (soFar == null ? time : Math.max(time, soFar.latest().time())) + tolerance);
        }
        if (earlier.isPresent()) {
          return earlier.map(
              mark ->
                  new PositionWentBack(
                      partition, mark.position(), mark.offset(), last.position(), last.offset()));
        }
        soFar = soFar == null ? stretch : Marks.merge(soFar, stretch);
      }
      return Optional.empty();
    }

    Course settled() {
      Course settled = new Course();
      settled.before = before;
      for (Marks stretch : stretches.values()) {
        settled.before = settled.before == null ? stretch : Marks.merge(settled.before, stretch);
      }
      return settled;
    }
  }

  /** Adds the position of an event. */
  public void add(String partition, long offset, SourcePosition position) {
    courses
        .computeIfAbsent(new Place(partition, position.source()), place -> new Course())
        .add(new Mark(position, offset));
  }

  /** Adds all that another one knows. */
  public void merge(SourcePositions other) {
    other.courses.forEach(
        (place, course) -> courses.computeIfAbsent(place, p -> new Course()).merge(course));
  }

  /**
   * Returns the first partition's first event that went back.
   *
   * @param tolerance by how much an event must be later than all before it; not negative
   */
  public Optional<PositionWentBack> wentBack(Duration tolerance) {
    if (tolerance.isNegative()) {
      throw DebeziumErrors.negative(tolerance);
    }
    for (Map.Entry<Place, Course> entry : courses.entrySet()) {
      Optional<PositionWentBack> found =
          entry.getValue().wentBack(entry.getKey().partition(), tolerance.toMillis());
      if (found.isPresent()) {
        return found;
      }
    }
    return Optional.empty();
  }

  /** Returns what the next batch must know of this one and all before it. */
  public SourcePositions settled() {
    SourcePositions settled = new SourcePositions();
    courses.forEach((place, course) -> settled.courses.put(place, course.settled()));
    return settled;
  }

  /** Returns all of this as JSON. */
  public String toJson() {
    ObjectNode json = MAPPER.createObjectNode().put("version", VERSION);
    ArrayNode places = json.putArray("places");
    courses.forEach(
        (place, course) -> {
          ObjectNode each =
              places
                  .addObject()
                  .put("partition", place.partition())
                  .put("source", place.source())
                  .put("shift", course.shift);
          if (course.before != null) {
            write(course.before, each.putArray("before"));
          }
          ArrayNode stretches = each.putArray("stretches");
          course.stretches.values().forEach(marks -> write(marks, stretches.addArray()));
        });
    return json.toString();
  }

  private static void write(Marks marks, ArrayNode json) {
    write(marks.highest(), json.addArray());
    if (!marks.latest().equals(marks.highest())) {
      write(marks.latest(), json.addArray());
    }
  }

  private static void write(Mark mark, ArrayNode json) {
    json.add(mark.offset()).add(mark.position().timestamp());
    mark.position().numbers().forEach(json::add);
  }

  /**
   * Returns what {@link #toJson} wrote.
   *
   * @throws IllegalArgumentException for other text
   */
  public static SourcePositions fromJson(String text) {
    SourcePositions positions = new SourcePositions();
    try {
      JsonNode json = MAPPER.readTree(text);
      if (json.path("version").asInt() != VERSION) {
        throw DebeziumErrors.notPositions();
      }
      for (JsonNode each : json.path("places")) {
        String source = each.path("source").textValue();
        Course course = new Course();
        course.shift = each.path("shift").intValue();
        course.before = each.has("before") ? marks(source, each.path("before")) : null;
        for (JsonNode stretch : each.path("stretches")) {
          Marks marks = marks(source, stretch);
          course.stretches.put(marks.highest().offset() >> course.shift, marks);
        }
        positions.courses.put(new Place(each.path("partition").textValue(), source), course);
      }
      return positions;
    } catch (JsonProcessingException | NullPointerException e) {
      throw DebeziumErrors.notPositions();
    }
  }

  private static Marks marks(String source, JsonNode json) {
    return new Marks(mark(source, json.path(0)), mark(source, json.path(json.size() - 1)));
  }

  private static Mark mark(String source, JsonNode json) {
    List<Long> numbers = new ArrayList<>();
    for (int i = 2; i < json.size(); i++) {
      numbers.add(json.get(i).longValue());
    }
    return new Mark(
        new SourcePosition(source, numbers, json.path(1).longValue()), json.path(0).longValue());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof SourcePositions that && toJson().equals(that.toJson());
  }

  @Override
  public int hashCode() {
    return toJson().hashCode();
  }

  @Override
  public String toString() {
    return toJson();
  }
}
