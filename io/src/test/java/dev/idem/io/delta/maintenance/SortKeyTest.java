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

import static org.hamcrest.MatcherAssert.assertThat;
import static org.hamcrest.Matchers.is;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.idem.io.delta.schema.DeltaColumn;
import dev.idem.io.delta.schema.DeltaType;
import dev.idem.io.delta.schema.DeltaType.Primitive;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Keys are in the order of their values, whatever the type. */
class SortKeyTest {

  private static final int RANDOM_VALUES = 300;

  private static SortKey key(DeltaType... types) {
    List<DeltaColumn> columns = new ArrayList<>();
    for (DeltaType type : types) {
      columns.add(new DeltaColumn("c" + columns.size(), type, true));
    }
    return SortKey.of(columns, columns);
  }

  /** Checks each pair of the boundaries and of random values against another order. */
  private static <T> void assertOrdered(
      DeltaType type, Comparator<? super T> order, Function<Random, T> random, List<T> boundaries) {
    long seed = new Random().nextLong();
    System.out.println("Seed of keys of " + type.text() + ": " + seed);
    Random source = new Random(seed);
    List<T> values = new ArrayList<>(boundaries);
    values.add(null);
    Stream.generate(() -> random.apply(source)).limit(RANDOM_VALUES).forEach(values::add);
    SortKey key = key(type);
    List<byte[]> keys = values.stream().map(value -> key.of(new Object[] {value})).toList();
    Comparator<T> expected = Comparator.nullsFirst(order);
    for (int a = 0; a < values.size(); a++) {
      for (int b = 0; b < values.size(); b++) {
        assertThat(
            "seed " + seed + ": " + values.get(a) + " and " + values.get(b),
            Integer.signum(Arrays.compareUnsigned(keys.get(a), keys.get(b))),
            is(Integer.signum(expected.compare(values.get(a), values.get(b)))));
      }
    }
  }

  @Test
  void wholeNumbersDatesAndTimesAreInOrder() {
    Comparator<Number> order = Comparator.comparingLong(Number::longValue);
    assertOrdered(
        Primitive.BYTE, order, random -> (byte) random.nextInt(), List.of((byte) -128, (byte) 127));
    assertOrdered(
        Primitive.SHORT,
        order,
        random -> (short) random.nextInt(),
        List.of(Short.MIN_VALUE, Short.MAX_VALUE));
    for (Primitive type : List.of(Primitive.INTEGER, Primitive.DATE)) {
      assertOrdered(
          type, order, Random::nextInt, List.of(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE));
    }
    for (Primitive type : List.of(Primitive.LONG, Primitive.TIMESTAMP, Primitive.TIMESTAMP_NTZ)) {
      assertOrdered(
          type, order, Random::nextLong, List.of(Long.MIN_VALUE, -1L, 0L, 1L, Long.MAX_VALUE));
    }
  }

  @Test
  void fractionsAreInOrderWithOneZeroAndNaNLast() {
    Comparator<Number> order =
        (a, b) ->
            a.doubleValue() == b.doubleValue()
                ? 0
                : Double.compare(a.doubleValue(), b.doubleValue());
    assertOrdered(
        Primitive.DOUBLE,
        order,
        random -> random.nextBoolean() ? random.nextGaussian() : random.nextLong() * 1e200,
        List.of(
            Double.NEGATIVE_INFINITY,
            -Double.MAX_VALUE,
            -Double.MIN_VALUE,
            -0.0,
            0.0,
            Double.MIN_VALUE,
            Double.MAX_VALUE,
            Double.POSITIVE_INFINITY,
            Double.NaN));
    assertOrdered(
        Primitive.FLOAT,
        order,
        Random::nextFloat,
        List.of(-Float.MAX_VALUE, -0.0f, 0.0f, Float.MIN_VALUE, Float.MAX_VALUE, Float.NaN));
  }

  @Test
  void decimalsAreInOrderWhateverTheirScale() {
    BigDecimal greatest = new BigDecimal(BigInteger.TEN.pow(38).subtract(BigInteger.ONE), 10);
    assertOrdered(
        new DeltaType.Decimal(38, 10),
        Comparator.<BigDecimal>naturalOrder(),
        random -> new BigDecimal(new BigInteger(120, random).negate(), 10),
        List.of(
            greatest.negate(),
            new BigDecimal("-1"),
            new BigDecimal("-0.0000000001"),
            BigDecimal.ZERO,
            new BigDecimal("0.1"),
            BigDecimal.ONE,
            greatest));
  }

  /** The order of code points is that of UTF-8 bytes, and not that of Java's characters. */
  @Test
  void textIsInTheOrderOfItsCodePoints() {
    Comparator<String> order =
        (a, b) -> Arrays.compare(a.codePoints().toArray(), b.codePoints().toArray());
    assertOrdered(
        Primitive.STRING,
        order,
        random ->
            random
                .ints(random.nextInt(6), 0, 300)
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString(),
        List.of("", "\u0000", "\u0000\u0000", "a", "a\u0000", "ab", "\uFFFD", "\uD83D\uDE00"));
  }

  @Test
  void laterColumnsDecideWhereEarlierOnesAreEqual() {
    SortKey key = key(Primitive.STRING, Primitive.STRING, Primitive.INTEGER);
    List<Object[]> ordered =
        List.of(
            new Object[] {null, null, 7},
            new Object[] {null, "a", -1},
            new Object[] {"a", null, 9},
            new Object[] {"a", "bc", null},
            new Object[] {"a", "bc", -3},
            new Object[] {"a", "bc", 2},
            new Object[] {"a", "c", 0},
            new Object[] {"a\u0000", null, 0},
            new Object[] {"ab", "a", 0},
            new Object[] {"ab", "c", 0});

    for (int i = 1; i < ordered.size(); i++) {
      assertThat(
          Arrays.toString(ordered.get(i)),
          Arrays.compareUnsigned(key.of(ordered.get(i - 1)), key.of(ordered.get(i))) < 0,
          is(true));
    }
  }

  @Test
  void typeWithoutAnOrderIsRefused() {
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> key(Primitive.BINARY).of(new Object[] {new byte[1]}));

    assertThat(refused.getMessage(), is("Type to sort by must have an order, but was: binary."));
  }
}
