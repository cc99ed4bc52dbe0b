import { randomBytes, randomUUID } from 'node:crypto';
import type { Records } from '../../ports/records.ts';
import type { Db, RecordsDatabase } from '../database.ts';

/* Single values by name: secrets, the id of the records, and the last result of some checks. */

/** A value that is created on first use and never changes. */
type KeptValues = Pick<Records, 'secret' | 'id'>;

/**
 * Two processes that ask at the same time get the same value. A store that is opened for reading cannot keep a new value:
 * it returns one that is valid until the process ends.
 */
export function createKeptValues(database: RecordsDatabase): KeptValues {
  const temporary = new Map<string, Uint8Array>();

  async function kept(name: string, make: () => Uint8Array): Promise<Uint8Array> {
    const known = await database.read((db) => readKept(db, name));
    if (known !== undefined) return known;
    if (database.readOnly) {
      const value = temporary.get(name) ?? make();
      temporary.set(name, value);
      return value;
    }
    const made = make();
    return database.durably((db) => keepFirst(db, name, made));
  }
  return {
    secret: (name, bytes) => kept(`secret:${name}`, () => randomBytes(bytes)),
    id: async () => Buffer.from(await kept('id', () => Buffer.from(randomUUID()))).toString(),
  };
}

/** Keeps the value unless there is one; returns the kept one. */
async function keepFirst(db: Db, name: string, value: Uint8Array): Promise<Uint8Array> {
  await db
    .insertInto('meta')
    .values({ name, value })
    .onConflict((known) => known.column('name').doNothing())
    .execute();
  return (await readKept(db, name)) ?? value;
}

async function readKept(db: Db, name: string): Promise<Uint8Array | undefined> {
  const row = await db.selectFrom('meta').select('value').where('name', '=', name).executeTakeFirst();
  return row?.value;
}

/** A value that `putJson` wrote. */
export async function readJson<T>(db: Db, name: string): Promise<T | undefined> {
  const value = await readKept(db, name);
  return value && (JSON.parse(Buffer.from(value).toString()) as T);
}

/** Replaces the value of this name. */
export async function putJson(db: Db, name: string, json: object): Promise<void> {
  const value = Buffer.from(JSON.stringify(json));
  await db
    .insertInto('meta')
    .values({ name, value })
    .onConflict((known) => known.column('name').doUpdateSet({ value }))
    .execute();
}

/** The results that replace one another: of the self-check, and about a proxy that the server does not trust. */
export function createLastResults(
  database: RecordsDatabase,
): Pick<Records, 'keepSelfCheck' | 'selfCheck' | 'noteUntrustedProxy' | 'untrustedProxy'> {
  return {
    keepSelfCheck: (found) => database.transaction((db) => putJson(db, 'self-check', found)),
    selfCheck: () => database.read((db) => readJson(db, 'self-check')),
    noteUntrustedProxy: (seen) => database.transaction((db) => putJson(db, 'untrusted-proxy', seen)),
    untrustedProxy: () => database.read((db) => readJson(db, 'untrusted-proxy')),
  };
}

/** Creates the values that a process with a read-only store could not keep. */
export async function makeKept(records: Records): Promise<void> {
  try {
    await records.id();
    await records.secret('cursor', 32);
    await records.secret('badge', 32);
  } catch (error) {
    await records.close();
    throw error;
  }
}
