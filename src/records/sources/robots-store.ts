import { NO_ROBOTS_RULES } from '../../domain/robots.ts';
import type { RobotsCache, RobotsEntry } from '../../ports/politeness.ts';
import type { Tables } from '../schema.ts';
import type { SqlStore } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';

/** Kept entries are written together after this time; what a kill loses is asked again. */
const WRITE_DELAY_MS = 500;
/** When the store could not be written, it is tried again after this time. */
const RETRY_DELAY_MS = 10_000;

interface RobotsRow {
  readonly origin: string;
  readonly rules: string | null;
  readonly expiresAt: number;
}

type KeptRow = Pick<Tables['robots'], 'rules' | 'expires_at'>;

/** The robots.txt rules in the store, so that the crawl of the next hour need not ask again. */
interface RobotsStore extends RobotsCache {
  /** Writes at once what is waiting, if the store lets it; an entry that is lost costs one request. */
  close(): Promise<void>;
}

/** Entries that are waiting to be written are found too. */
export function createRobotsStore(store: SqlStore): RobotsStore {
  const findRow = createRowFinder(store);
  const upsert = prepare(store, keptEntry, { kinds: { expiresAt: 'number' } });
  const waiting = new Map<string, RobotsEntry>();
  let timer: NodeJS.Timeout | undefined;

  const write = async (): Promise<void> => {
    const entries = [...waiting].sort(byOrigin);
    if (entries.length === 0) return;
    await store.transaction(() => upsert.runEach(entries.map(([origin, entry]) => rowOf(origin, entry))));
    for (const [origin, entry] of entries) if (waiting.get(origin) === entry) waiting.delete(origin);
  };
  /** In a timer, where an error would end the process. Other uses of the store report its faults. */
  const writeLater = (delayMs: number): void => {
    timer = setTimeout(() => {
      write().then(
        () => {
          timer = undefined;
          if (waiting.size > 0) writeLater(WRITE_DELAY_MS);
        },
        () => writeLater(RETRY_DELAY_MS),
      );
    }, delayMs);
  };
  return {
    async find(origin) {
      const fresh = waiting.get(origin);
      if (fresh !== undefined) return fresh;
      const row = await findRow(origin);
      if (row === undefined) return undefined;
      return {
        rules: row.rules === null ? NO_ROBOTS_RULES : JSON.parse(row.rules),
        expiresAt: row.expires_at,
      };
    },
    keep(origin, entry) {
      waiting.set(origin, entry);
      if (timer === undefined) writeLater(WRITE_DELAY_MS);
    },
    async close() {
      clearTimeout(timer);
      await write().catch(() => waiting.clear());
    },
  };
}

/** Visits begin together when those before them were written together: what they look for then is one statement in PostgreSQL. */
function createRowFinder(store: SqlStore) {
  const select = prepare(store, entryOf, {});
  let asked: { readonly origin: string }[] = [];
  let rows: Promise<readonly (KeptRow | undefined)[]> | undefined;
  const read = () => {
    const together = asked;
    [asked, rows] = [[], undefined];
    return store.read(() => select.firstEach(together));
  };
  return async (origin: string) => {
    const place = asked.push({ origin }) - 1;
    rows ??= new Promise<void>((resolve) => process.nextTick(resolve)).then(read);
    return (await rows)[place];
  };
}

/** Two processes write in one order, so that neither waits for the other for ever. */
function byOrigin([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function rowOf(origin: string, { rules, expiresAt }: RobotsEntry): RobotsRow {
  return { origin, rules: rules === NO_ROBOTS_RULES ? null : JSON.stringify(rules), expiresAt };
}

function entryOf(param: Param<{ origin: string }>) {
  return sql.selectFrom('robots').select(['rules', 'expires_at']).where('origin', '=', param('origin'));
}

function keptEntry(param: Param<RobotsRow>) {
  return sql
    .insertInto('robots')
    .values({ origin: param('origin'), rules: param('rules'), expires_at: param('expiresAt') })
    .onConflict((known) =>
      known.column('origin').doUpdateSet((row) => ({
        rules: row.ref('excluded.rules'),
        expires_at: row.ref('excluded.expires_at'),
      })),
    );
}
