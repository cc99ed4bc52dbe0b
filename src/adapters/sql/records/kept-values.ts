import { randomBytes } from 'node:crypto';
import type { SqliteDatabase } from '../database.ts';
import { sql } from '../prepared.ts';
import { first, run } from '../run-query.ts';

/**
 * Reads the secret of a name, made on first use; two processes that ask at once get the same one. A store opened
 * for reading that has none yet gives one that lives as long as the process.
 */
export function createSecrets(database: SqliteDatabase): (name: string, bytes: number) => Uint8Array {
  const lent = new Map<string, Uint8Array>();
  const stored = (key: string) =>
    first(database, sql.selectFrom('meta').select('value').where('name', '=', key))?.value;
  const lend = (key: string, bytes: number): Uint8Array => {
    const secret = lent.get(key) ?? randomBytes(bytes);
    lent.set(key, secret);
    return secret;
  };
  return (name, bytes) => {
    const key = `secret:${name}`;
    const known = stored(key);
    if (known !== undefined) return known;
    if (database.readOnly) return lend(key, bytes);
    const made = sql.insertInto('meta').values({ name: key, value: randomBytes(bytes) });
    database.durably(() =>
      run(
        database,
        made.onConflict((same) => same.column('name').doNothing()),
      ),
    );
    return stored(key) as Uint8Array;
  };
}
