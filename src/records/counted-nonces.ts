import { LRUCache } from 'lru-cache';
import { NONCES_OF_ONE_KEY, type Nonces, type SeenNonce } from '../ports/replay-store.ts';

/** What a store does for nonces. Times are epoch seconds. */
export interface NonceTable {
  /** How many nonces of a key still count, up to `most`: it reads as many rows. */
  count(key: string, now: number, most: number): Promise<number>;
  remember(nonce: SeenNonce, now: number): Promise<boolean>;
}

/** Keys whose count is kept at once. */
const MAX_KEYS = 1_000;

interface Counted {
  readonly second: number;
  readonly before: Promise<number>;
  since: number;
}

/**
 * Nonces whose rows are counted once a second for each key, however many messages name it: in between this process adds up
 * what it remembers itself. So a key that has signed thousands of messages makes no message of it costly.
 */
export function createCountedNonces({ count, remember }: NonceTable): Nonces {
  const counts = new LRUCache<string, Counted>({ max: MAX_KEYS });

  function counted(key: string, second: number): Counted {
    const known = counts.get(key);
    if (known?.second === second) return known;
    const made = { second, before: count(key, second, NONCES_OF_ONE_KEY), since: 0 };
    made.before.catch(() => counts.delete(key)); // told to whoever waits; the next one asks again
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
