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
package dev.idem.io.jdbc;

import dev.idem.transforms.external.DeadLetter;
import dev.idem.transforms.external.Effect;
import dev.idem.transforms.external.Effects;
import dev.idem.transforms.external.IdempotentTarget;
import java.util.IdentityHashMap;
import org.apache.beam.sdk.schemas.Schema;
import org.apache.beam.sdk.values.Row;

/** A table as a target that compares sequences: each batch of rows is one transaction. */
record JdbcRowTarget(JdbcSpec spec, Schema schema) implements IdempotentTarget<Row> {

  @Override
  public Client<Row> open() throws InterruptedException {
    Transactions transactions = new Transactions(spec);
    TableDescription table = TargetCheck.of(spec, transactions);
    RowMapping mapping = new RowMapping(schema, table, spec);
    return effects -> apply(transactions, table, mapping, effects);
  }

  private void apply(
      Transactions transactions, TableDescription table, RowMapping mapping, Effects<Row> effects)
      throws InterruptedException {
    IdentityHashMap<Row, Effect<Row>> byRow = new IdentityHashMap<>();
    effects.forEach(effect -> byRow.put(effect.record(), effect));
    RowWrite write =
        transactions.run(
            error -> false,
            connection -> {
              Dialect dialect = transactions.dialect();
              // Before any lock: where making a table ends a transaction, locks would go with it.
              RowWrite rows = new RowWrite(connection, dialect, spec, table, mapping);
              if (spec.hasTombstones()) {
                new RecordTables(dialect.on(connection), dialect, table.name())
                    .lockBuckets(0, RecordTables.BUCKETS - 1);
              }
              for (Effect<Row> effect : effects) {
                rows.add(effect.record(), effect.record());
              }
              rows.finish();
              return rows;
            });
    for (DeadLetter<Row> letter : write.letters()) {
      effects.reject(byRow.get(letter.record()), letter.errorClass(), letter.message());
    }
  }

  @Override
  public String toString() {
    return spec.table();
  }
}
