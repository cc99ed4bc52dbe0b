import { sql } from 'kysely';
import type { Db } from '../database.ts';

/* Queries of other folders that still take parameters of prepared statements. They go when those take a `db`. */

/** A table `day` of numbers, so that rows are looked up by their key, which begins with the day. */
export function eachDay(db: Db, first: number, last: number) {
  return db.withRecursive('day(number)', (day) =>
    day
      .selectNoFrom(sql<number>`cast(${first} as bigint)`.as('number'))
      .where(sql<boolean>`cast(${first} as bigint) <= cast(${last} as bigint)`)
      .unionAll(
        day
          .selectFrom('day')
          .select((row) => row('day.number', '+', 1).as('number'))
          .where('day.number', '<', last),
      ),
  );
}

/** Declarations with their source and value. */
export function selectDeclarations(db: Db) {
  return db
    .selectFrom('declaration')
    .innerJoin('source', 'source.id', 'declaration.source')
    .innerJoin('declared_value', 'declared_value.hash', 'declaration.value_hash')
    .selectAll('declaration')
    .select(['declared_value.value', 'declared_value.findings', 'source.kind', 'source.key']);
}
