import type { CapStore, Exposure, ExposureOutcome, ShownPackage } from '../../ports/cap-store.ts';
import type { SqliteDatabase } from './database.ts';
import { openDatabase } from './database.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS match_exposures (
    id TEXT PRIMARY KEY,
    token TEXT NOT NULL,
    package TEXT NOT NULL,
    at INTEGER NOT NULL,
    until INTEGER NOT NULL
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX IF NOT EXISTS match_exposures_shown ON match_exposures (token, package, at, until);
  CREATE INDEX IF NOT EXISTS match_exposures_until ON match_exposures (until);`;

/** For another process's write: matches wait meanwhile, and an exposure can be reported again. */
const PATIENCE_MS = 250;
/** Forgotten with each exposure that is recorded, so that the table is cleared as fast as it is filled, and faster. */
const FORGOTTEN_AT_ONCE = 100;
const FORGET = `DELETE FROM match_exposures WHERE id IN
  (SELECT id FROM match_exposures WHERE until <= ? LIMIT ${FORGOTTEN_AT_ONCE})`;
const KNOWN = 'SELECT token, package FROM match_exposures WHERE id = ? AND until > ?';
const INSERT =
  'INSERT OR REPLACE INTO match_exposures (id, token, package, at, until) VALUES (?, ?, ?, ?, ?)';
const TRIM = `DELETE FROM match_exposures WHERE id IN
  (SELECT id FROM match_exposures WHERE token = ? AND package = ? ORDER BY at DESC, id LIMIT -1 OFFSET ?)`;
const SHOWN = 'SELECT package AS packageId, at FROM match_exposures WHERE token = ? AND until > ?';

/**
 * Opens the exposures in a SQLite file, which is created when it is not there (`:memory:` for one that ends with the
 * process). Several processes may share it. An exposure is with the operating system before it is answered: a
 * killed process loses none, a loss of power may undo the last moments. Throws a RegistryError `store_…`.
 */
export function openCapStore(path: string): CapStore {
  const database = openDatabase(path, { busyTimeoutMs: PATIENCE_MS });
  database.exec(TABLE);
  return {
    record: (exposure) => database.transaction(() => record(database, exposure)),
    shownTo: (token, now) =>
      database.guard(() => database.statement(SHOWN).all(token, now) as unknown as readonly ShownPackage[]),
    close: () => database.close(),
  };
}

function record(database: SqliteDatabase, exposure: Exposure): ExposureOutcome {
  const { id, token, packageId, at, until, keep } = exposure;
  database.statement(FORGET).run(at);
  const known = database.statement(KNOWN).get(id, at);
  if (known !== undefined)
    return known.token === token && known.package === packageId ? 'repeated' : 'conflict';
  database.statement(INSERT).run(id, token, packageId, at, until);
  database.statement(TRIM).run(token, packageId, keep);
  return 'recorded';
}
