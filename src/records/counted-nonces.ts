import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { NONCES_OF_ONE_KEY, type Nonces, type SeenNonce } from '../ports/replay-store.ts';
import type { Db, RecordsDatabase } from './database.ts';

/* The nonces of signed messages, each of which is accepted once. */

/** The operations of a store of nonces. Times are epoch seconds. */
export interface NonceTable {
  /** How many nonces of a key still count, up to `most`: it reads as many rows. */
  count(key: string, now: number, most: number): Promise<number>;
  remember(nonce: SeenNonce, now: number): Promise<boolean>;
}

/** Keys whose count is cached. */
const MAX_KEYS = 1_000;

interface Counted {
  readonly second: number;
  readonly before: Promise<number>;
  since: number;
}

/**
 * Counts the rows of each key at most once a second, and in between adds what this process remembers itself. So the cost
 * of a message does not depend on how many messages the key has signed.
 */
export function createCountedNonces({ count, remember }: NonceTable): Nonces {
  const counts = new LRUCache<string, Counted>({ max: MAX_KEYS });

  function counted(key: string, second: number): Counted {
    const known = counts.get(key);
    if (known?.second === second) return known;
    const made = { second, before: count(key, second, NONCES_OF_ONE_KEY), since: 0 };
    made.before.catch(() => counts.delete(key)); // rejects for the callers that await it; the next one counts again
    counts.set(key, made);
    return made;
  }

  return {
    async isFull(key, now, most = NONCES_OF_ONE_KEY) {
      const known = counted(key, Math.floor(now));
      return (await known.before) + known.since >= most;
    },
    async remember(nonce, now) {
      const isNew = await remember(nonce, now);
      const known = counts.get(nonce.key);
      if (isNew && known !== undefined) known.since += 1;
      return isNew;
    },
  };
}

/** The nonces of signed requests, in the records. */
export function createNonces(database: RecordsDatabase): Nonces {
  return createCountedNonces({
    count: (key, now, most) => database.read((db) => countNonces(db, key, now, most)),
    remember: (nonce, now) => database.durably((db) => rememberNonce(db, nonce, now)),
  });
}

async function countNonces(db: Db, key: string, now: number, most: number): Promise<number> {
  const valid = db
    .selectFrom('signature_nonce')
    .select('nonce')
    .where('key', '=', key)
    .where('until', '>=', now)
    .limit(most);
  const { n } = await db
    .selectFrom(valid.as('valid'))
    .select((row) => row.fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow();
  return n;
}

/** Deletes the expired nonces of the same key too. */
async function rememberNonce(db: Db, { key, nonce, until }: SeenNonce, now: number): Promise<boolean> {
  const added = await db
    .insertInto('signature_nonce')
    .values({ key, nonce: shortNonce(nonce), until: Math.ceil(until) })
    .onConflict((known) => known.columns(['key', 'nonce']).doNothing())
    .returning('nonce')
    .executeTakeFirst();
  await db
    .deleteFrom('signature_nonce')
    .where('key', '=', key)
    .where('until', '<', Math.floor(now))
    .execute();
  return added !== undefined;
}

/** Nonces have no maximum length; a long one is stored as its hash, which no nonce looks like. */
function shortNonce(nonce: string): string {
  return nonce.length > 64 ? `sha256 ${hash('sha256', nonce)}` : nonce;
}
