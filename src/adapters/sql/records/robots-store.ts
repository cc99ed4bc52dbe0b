import { NO_ROBOTS_RULES } from '../../../domain/robots.ts';
import type { RobotsCache, RobotsEntry } from '../../../ports/robots-cache.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';

/** Kept entries are written together after this time; what a kill loses is asked again. */
const WRITE_DELAY_MS = 500;
/** When the store could not be written, it is tried again after this time. */
const RETRY_DELAY_MS = 10_000;

interface RobotsRow {
  readonly origin: string;
  readonly rules: string | null;
  readonly expiresAt: number;
}

/** The robots.txt rules in the store, so that the crawl of the next hour need not ask again. */
export interface RobotsStore extends RobotsCache {
  /** Writes at once what is waiting, if the store lets it; an entry that is lost costs one request. */
  close(): void;
}

/** Entries that are waiting to be written are found too. */
export function createRobotsStore(database: SqliteDatabase): RobotsStore {
  const select = prepare(database, entryOf);
  const upsert = prepare(database, keptEntry);
  const waiting = new Map<string, RobotsEntry>();
  let timer: NodeJS.Timeout | undefined;

  const write = (): void => {
    if (waiting.size === 0) return;
    database.transaction(() => {
      for (const [origin, { rules, expiresAt }] of waiting) {
        upsert.run({ origin, rules: rules === NO_ROBOTS_RULES ? null : JSON.stringify(rules), expiresAt });
      }
    });
    waiting.clear();
  };
  /** In a timer, where an error would end the process; whoever needs the store for more hears of its faults. */
  const writeLater = (delayMs: number): void => {
    timer = setTimeout(() => {
      timer = undefined;
      try {
        write();
      } catch {
        writeLater(RETRY_DELAY_MS);
      }
    }, delayMs);
  };
  return {
    find(origin) {
      const fresh = waiting.get(origin);
      if (fresh !== undefined) return fresh;
      const row = select.get({ origin });
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
    close() {
      clearTimeout(timer);
      try {
        write();
      } catch {
        waiting.clear();
      }
    },
  };
}

function entryOf(place: Place<{ origin: string }>) {
  return sql.selectFrom('robots').select(['rules', 'expires_at']).where('origin', '=', place('origin'));
}

function keptEntry(place: Place<RobotsRow>) {
  return sql
    .insertInto('robots')
    .values({ origin: place('origin'), rules: place('rules'), expires_at: place('expiresAt') })
    .onConflict((known) =>
      known.column('origin').doUpdateSet({ rules: place('rules'), expires_at: place('expiresAt') }),
    );
}
