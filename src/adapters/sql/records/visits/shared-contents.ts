import { sortedByKey } from '../../locks.ts';
import { type SqlStore, type SqlTask, together } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

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
export function createContentsWriter(store: SqlStore): (contents: Contents) => SqlTask<void> {
  const insertBody = prepare(store, newBody);
  const insertValue = prepare(store, newValue);
  const insertExposed = prepare(store, newExposed);
  return function* ({ bodies, values, exposed }) {
    yield* together(sortedByKey(bodies).map(([hash, bytes]) => insertBody.run({ hash, bytes })));
    yield* together(sortedByKey(values).map(([hash, row]) => insertValue.run({ hash, ...row })));
    yield* together(sortedByKey(exposed).map(([hash, value]) => insertExposed.run({ hash, value })));
  };
}

function newBody(param: Param<{ hash: string; bytes: Uint8Array }>) {
  return sql
    .insertInto('body')
    .values({ hash: param('hash'), bytes: param('bytes') })
    .onConflict((known) => known.column('hash').doNothing());
}

function newValue(param: Param<{ hash: string; value: string; findings: string }>) {
  return sql
    .insertInto('declared_value')
    .values({ hash: param('hash'), value: param('value'), findings: param('findings') })
    .onConflict((known) => known.column('hash').doNothing());
}

function newExposed(param: Param<{ hash: string; value: string }>) {
  return sql
    .insertInto('exposed')
    .values({ hash: param('hash'), value: param('value') })
    .onConflict((known) => known.column('hash').doNothing());
}
