import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db, RecordsDatabase } from './database.ts';

/* The nonces of signed messages, each of which is accepted once. */

/**
 * Nonces of one key that are remembered at once: 28 messages a second for as long as each of them counts. The limit is
 * approximate: nonces of other processes are counted up to a second later.
 */
const NONCES_OF_ONE_KEY = 10_000;

/** Times are epoch seconds. */
interface SeenNonce {
  /** Thumbprint of the key (RFC 7638): what two signers call their keys does not matter. */
  readonly key: string;
  readonly nonce: string;
  /** The last second in which the message could still be accepted; forgotten after that. */
  readonly until: number;
}

/** The operations of a store of nonces. Times are epoch seconds. */
interface NonceTable {
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
 * The nonces of accepted messages. The nonce of a message with an invalid signature is not stored, so that only the
 * holder of a key can fill the store or use up a nonce of that key.
 *
 * Counts the rows of each key at most once a second, and in between adds what this process remembers itself. So the
 * cost of a message does not depend on how many messages the key has signed.
 */
export function createCountedNonces({ count, remember }: NonceTable) {
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
    /**
     * Whether so many nonces of a key are remembered that no more are taken. Asked before anything is computed.
     * `most`: default `NONCES_OF_ONE_KEY`.
     */
    async isFull(key: string, now: number, most = NONCES_OF_ONE_KEY) {
      const known = counted(key, Math.floor(now));
      return (await known.before) + known.since >= most;
    },
    /**
     * Remembers a nonce of a key. True the first time; false when it is remembered already, from before a restart
     * or by another process too. Of two calls at the same time one is true.
     */
    async remember(nonce: SeenNonce, now: number) {
      const isNew = await remember(nonce, now);
      const known = counts.get(nonce.key);
      if (isNew && known !== undefined) known.since += 1;
      return isNew;
    },
  };
}

export type Nonces = ReturnType<typeof createCountedNonces>;

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

/** Deletes the expired nonces of the key first: this one may be among them. */
async function rememberNonce(db: Db, { key, nonce, until }: SeenNonce, now: number): Promise<boolean> {
  await db
    .deleteFrom('signature_nonce')
    .where('key', '=', key)
    .where('until', '<', Math.floor(now))
    .execute();
  const added = await db
    .insertInto('signature_nonce')
    .values({ key, nonce: shortNonce(nonce), until: Math.ceil(until) })
    .onConflict((known) => known.columns(['key', 'nonce']).doNothing())
    .returning('nonce')
    .executeTakeFirst();
  return added !== undefined;
}

/** Nonces have no maximum length; a long one is stored as its hash, which no nonce looks like. */
function shortNonce(nonce: string): string {
  return nonce.length > 64 ? `sha256 ${hash('sha256', nonce)}` : nonce;
}
