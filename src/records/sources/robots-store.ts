import { NO_ROBOTS_RULES } from '../../domain/robots.ts';
import type { RobotsCache, RobotsEntry } from '../../ports/robots-cache.ts';
import { type Db, insertInChunks, type RecordsDatabase } from '../database.ts';
import { sortedByKey } from '../locks.ts';

/** Entries are written together after this time; what a kill loses is requested again. */
const WRITE_DELAY_MS = 500;
/** When the store could not be written, it is tried again after this time. */
const RETRY_DELAY_MS = 10_000;

/** The robots.txt rules in the store, so that the next crawl need not request them again. */
interface RobotsStore extends RobotsCache {
  /** Writes the waiting entries at once, if the store accepts them; an entry that is lost costs one request. */
  close(): Promise<void>;
}

/** Entries that are waiting to be written are found too. */
export function createRobotsStore(database: RecordsDatabase): RobotsStore {
  const waiting = new Map<string, RobotsEntry>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;

  async function write(): Promise<void> {
    const entries = sortedByKey(waiting);
    if (entries.length === 0) return;
    await database.transaction((db) => writeEntries(db, entries));
    for (const [origin, entry] of entries) if (waiting.get(origin) === entry) waiting.delete(origin);
  }
  /** Catches errors, which would end the process in a timer: other uses of the store report its faults. */
  function writeLater(delayMs: number): void {
    timer = setTimeout(async () => {
      let nextMs = WRITE_DELAY_MS;
      await write().catch(() => {
        nextMs = RETRY_DELAY_MS;
      });
      timer = undefined;
      if (waiting.size > 0 && !isClosed) writeLater(nextMs);
    }, delayMs);
  }
  return {
    find: async (origin) => waiting.get(origin) ?? (await database.read((db) => findEntry(db, origin))),
    keep(origin, entry) {
      waiting.set(origin, entry);
      if (timer === undefined) writeLater(WRITE_DELAY_MS);
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await write().catch(() => waiting.clear());
    },
  };
}

async function findEntry(db: Db, origin: string): Promise<RobotsEntry | undefined> {
  const row = await db
    .selectFrom('robots')
    .select(['rules', 'expires_at'])
    .where('origin', '=', origin)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const rules = row.rules === null ? NO_ROBOTS_RULES : JSON.parse(row.rules);
  return { rules, expiresAt: row.expires_at };
}

async function writeEntries(
  db: Db,
  entries: readonly (readonly [origin: string, entry: RobotsEntry])[],
): Promise<void> {
  const rows = entries.map(([origin, { rules, expiresAt }]) => ({
    origin,
    rules: rules === NO_ROBOTS_RULES ? null : JSON.stringify(rules),
    expires_at: expiresAt,
  }));
  await insertInChunks(rows, (some) =>
    db
      .insertInto('robots')
      .values(some)
      .onConflict((known) =>
        known.column('origin').doUpdateSet((row) => ({
          rules: row.ref('excluded.rules'),
          expires_at: row.ref('excluded.expires_at'),
        })),
      )
      .execute(),
  );
}
