import { createCountedNonces } from '../counted-nonces.ts';
import { openDatabase } from './database.ts';
import type { DatabaseOptions } from './open-handle.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS signature_nonces (
    key TEXT NOT NULL,
    nonce TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (key, nonce)
  ) WITHOUT ROWID, STRICT;
  CREATE INDEX IF NOT EXISTS signature_nonces_key ON signature_nonces (key, until);
  CREATE INDEX IF NOT EXISTS signature_nonces_until ON signature_nonces (until);`;

/** Forgotten with each nonce that is remembered, so that the table is cleared as fast as it is filled, and faster. */
const FORGOTTEN_AT_ONCE = 100;

/**
 * Opens the replay store in a SQLite file, which is created when it is not there (`:memory:` for one that ends with the
 * process). Several processes may share it. A nonce is on the disk before it counts as remembered, so that neither a
 * killed process nor a loss of power lets a message in twice. Throws a RegistryError `store_…`.
 */
export function openReplayStore(path: string, options: Pick<DatabaseOptions, 'busyTimeoutMs'> = {}) {
  const database = openDatabase(path, options);
  database.exec(TABLE);
  const forget = `DELETE FROM signature_nonces WHERE (key, nonce) IN
    (SELECT key, nonce FROM signature_nonces WHERE until < ? LIMIT ${FORGOTTEN_AT_ONCE})`;
  const insert = 'INSERT INTO signature_nonces (key, nonce, until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
  // `LIMIT +?`, because since 3.46 SQLite plans a statement again for each value of a bare `LIMIT ?`
  const counted =
    'SELECT count(*) AS n FROM (SELECT 1 FROM signature_nonces WHERE key = ? AND until >= ? LIMIT +?)';
  const nonces = createCountedNonces({
    async count(key, now, most) {
      return (database.statement(counted).get(key, now, most) as { n: number }).n;
    },
    async remember({ key, nonce, until }, now) {
      return database.durably(() => {
        database.statement(forget).run(Math.floor(now));
        return database.statement(insert).run(key, nonce, Math.ceil(until)).changes === 1;
      });
    },
  });
  return { ...nonces, close: async () => database.close() };
}

export type ReplayStore = ReturnType<typeof openReplayStore>;
