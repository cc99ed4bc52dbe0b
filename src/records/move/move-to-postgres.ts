import { RegistryError } from '../../errors.ts';
import type {
  MovedTable,
  MoveOptions,
  MovePlan,
  MoveProgress,
  MoveWanted,
  StoreMove,
} from '../../ports/store-move.ts';
import { SCHEMA_VERSION } from '../migrations/migrations.ts';
import { runText } from '../postgres/migrate-postgres.ts';
import { placeOf } from '../postgres/postgres-error.ts';
import { createPostgresStore, type PostgresStore } from '../postgres/postgres-store.ts';
import type { SqlTask } from '../sql-tasks.ts';
import { openSource, type Source } from './source.ts';
import { copyTable, isCopied, tablesOfSchema } from './tables.ts';
import {
  analyse,
  asMoveError,
  contentsOfTarget,
  count,
  finishSchema,
  lockTarget,
  makeTables,
  refusalFor,
  setNext,
  type TargetContents,
  targetInUse,
  waitForOthers,
} from './target.ts';

interface MoveAddresses {
  /** The SQLite file. */
  readonly path: string;
  /** `postgres://…` */
  readonly url: string;
}

/** One statement may make an index of millions of rows, or count them. */
const LONG_MS = 6 * 3_600_000;
/** So long the source has to be quiet after the copy: a writer that waits for a lock asks again within a tenth of it. */
const QUIET_SECONDS = 1;

/**
 * Moves the records of an SQLite file into an empty PostgreSQL database, in one transaction there. The file is
 * locked against writes meanwhile and stays as it is, in its own schema: an older one is copied as it is and
 * brought up in the target.
 */
export function moveToPostgres({ path, url }: MoveAddresses): StoreMove {
  const place = placeOf(url);
  const tables = tablesOfSchema(SCHEMA_VERSION);
  const inspect = () => withStore({ url }, (store) => store.read(() => contentsOfTarget(place, tables)));
  return {
    target: place,
    async plan(wanted) {
      const source = openSource(path, 'read');
      try {
        return planOf(source, place, await inspect(), wanted);
      } finally {
        source.close();
      }
    },
    async run(options) {
      const source = openSource(path, 'lock');
      try {
        await inspect(); // a server that is not there is reported in seconds
        source.lock();
        const busy = busyText(source, options);
        if (busy !== undefined) throw sourceBusy(busy);
        return await withStore({ url, timeoutMs: LONG_MS }, (store) =>
          store.transaction(() => move(source, place, options)),
        ).catch((error: unknown) => {
          throw asMoveError(error, place);
        });
      } finally {
        source.close();
      }
    },
  };
}

function planOf(source: Source, place: string, held: TargetContents, wanted: MoveWanted): MovePlan {
  const refusal = busyText(source, wanted) ?? refusalFor(place, held);
  return {
    source: { place: source.path, schema: source.schema },
    target: { place, schema: held.schema },
    schema: SCHEMA_VERSION,
    tables: source.tables.map((table) => ({
      name: table.name,
      rows: source.count(table),
      targetRows: held.rows.get(table.name) ?? 0,
      copied: isCopied(table),
    })),
    ...(refusal !== undefined && { refusal }),
  };
}

/** Why the source is not to be copied now; undefined when it may be. */
function busyText(source: Source, { now, live }: MoveWanted): string | undefined {
  const work = live ? undefined : source.atWork(now);
  return (
    work && `processes are using ${source.path} (${work}): changes they make after the copy would be lost`
  );
}

function sourceBusy(why: string): RegistryError {
  return new RegistryError('store_locked', why, {
    hint: 'stop them and wait a few minutes until their leases expire; or add --live to copy the current state anyway',
    retryable: true,
  });
}

function* move(
  source: Source,
  place: string,
  { onProgress, signal, live }: MoveOptions,
): SqlTask<readonly MovedTable[]> {
  const copied = source.tables.filter(isCopied);
  const total = copied.reduce((sum, table) => sum + source.count(table), 0);
  let done = 0;
  const step = (name: MoveProgress['step'], more = 0) => {
    if (signal.aborted) throw stopped();
    done += more;
    onProgress({ step: name, done, total });
  };
  yield* lockTarget(place);
  yield* waitForOthers();
  const held = yield* contentsOfTarget(place, tablesOfSchema(SCHEMA_VERSION));
  const refusal = refusalFor(place, held);
  if (refusal !== undefined) throw targetInUse(refusal, held);
  yield* makeTables(held.schema, source.schema);
  step('rows');
  for (const table of copied) yield* copyTable(table, source.rows(table), (rows) => step('rows', rows));
  // in the source's own schema: a later one may have made a table anew
  for (const table of source.tables) yield* continueNumbers(source, table);
  step('counts');
  const moved = yield* compared(source); // before a later schema makes other rows of them
  step('indexes');
  yield* finishSchema(source.schema, SCHEMA_VERSION);
  yield* analyse(tablesOfSchema(SCHEMA_VERSION));
  if (!live) yield* ensureQuiet(source);
  if (signal.aborted) throw stopped();
  return moved;
}

/** A writer blocked by the copy writes as soon as the copy ends, before the target commits. */
function* ensureQuiet(source: Source): SqlTask<void> {
  source.unlock();
  yield* runText(`SELECT pg_sleep(${QUIET_SECONDS})::text`);
  if (source.hasChanged())
    throw sourceBusy(`${source.path} was changed during the copy; the target was rolled back`);
}

function* continueNumbers(source: Source, table: Source['tables'][number]): SqlTask<void> {
  const { identity } = table;
  if (identity !== undefined) yield* setNext(table, identity, source.lastNumber(table, identity));
}

/** The rows of both sides, counted by the engines themselves. */
function* compared(source: Source): SqlTask<readonly MovedTable[]> {
  const moved: MovedTable[] = [];
  for (const table of source.tables) {
    const [wanted, rows] = [source.count(table), yield* count(table.name)];
    if (wanted !== rows) throw differs(source.path, table.name, wanted, rows);
    moved.push({ name: table.name, rows });
  }
  return moved;
}

function differs(path: string, table: string, wanted: number, rows: number): RegistryError {
  return new RegistryError(
    'store_corrupt',
    `table ${table} of ${path} has ${wanted} rows, but ${rows} were copied; the target was rolled back`,
    { hint: 'check the SQLite file with "PRAGMA integrity_check"; if it is damaged, restore a backup' },
  );
}

function stopped(): RegistryError {
  return new RegistryError('interrupted', 'stopped; the target is still empty and the source is unchanged', {
    hint: 'run the same command again to start over',
  });
}

async function withStore<T>(
  options: { readonly url: string; readonly timeoutMs?: number },
  work: (store: PostgresStore) => Promise<T>,
): Promise<T> {
  const store = createPostgresStore({ ...options, connections: 1 });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}
