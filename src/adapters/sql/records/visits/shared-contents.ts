import { type Place, prepare, sql } from '../../prepared.ts';
import type { SqlStore } from '../../sql-store.ts';
import { together, type Work } from '../../work.ts';
import { sortedByKey } from '../sorted.ts';

/**
 * What is kept once, by its hash, however many visits brought it: 200 publishers of one manager bring the same bytes
 * 200 times, and they are sent to the store once.
 */
export class Contents {
  readonly bodies = new Map<string, Uint8Array>();
  /** Declarations with their findings. */
  readonly values = new Map<string, { readonly value: string; readonly findings: string }>();
  readonly exposed = new Map<string, string>();
}

/** Inside the caller's transaction. */
export function createContentsWriter(store: SqlStore): (contents: Contents) => Work<void> {
  const insertBody = prepare(store, newBody);
  const insertValue = prepare(store, newValue);
  const insertExposed = prepare(store, newExposed);
  return function* ({ bodies, values, exposed }) {
    yield* together(sortedByKey(bodies).map(([hash, bytes]) => insertBody.run({ hash, bytes })));
    yield* together(sortedByKey(values).map(([hash, row]) => insertValue.run({ hash, ...row })));
    yield* together(sortedByKey(exposed).map(([hash, value]) => insertExposed.run({ hash, value })));
  };
}

function newBody(place: Place<{ hash: string; bytes: Uint8Array }>) {
  return sql
    .insertInto('body')
    .values({ hash: place('hash'), bytes: place('bytes') })
    .onConflict((known) => known.column('hash').doNothing());
}

function newValue(place: Place<{ hash: string; value: string; findings: string }>) {
  return sql
    .insertInto('declared_value')
    .values({ hash: place('hash'), value: place('value'), findings: place('findings') })
    .onConflict((known) => known.column('hash').doNothing());
}

function newExposed(place: Place<{ hash: string; value: string }>) {
  return sql
    .insertInto('exposed')
    .values({ hash: place('hash'), value: place('value') })
    .onConflict((known) => known.column('hash').doNothing());
}
