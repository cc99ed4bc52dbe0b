import { describe, expect, it } from 'vitest';
import { createCountedNonces } from '../../src/records/counted-nonces.ts';
import { createNonces } from '../../src/records/upkeep/kept-values.ts';
import { plansOf } from './support/plans.ts';

const seen = (nonce: string) => ({ key: 'k', nonce, until: 300 });

/** A table that counts how often its rows are counted. */
function table() {
  const nonces = new Set<string>();
  const asked: number[] = [];
  return {
    asked,
    nonces,
    fails: false,
    async count(_key: string, now: number, most: number) {
      asked.push(now);
      if (this.fails) throw new Error('away');
      return Math.min(nonces.size, most);
    },
    async remember({ nonce }: { readonly nonce: string }) {
      const isNew = !nonces.has(nonce);
      nonces.add(nonce);
      return isNew;
    },
  };
}

function countedNonces() {
  const rows = table();
  return {
    rows,
    nonces: createCountedNonces({ count: (...asked) => rows.count(...asked), remember: rows.remember }),
  };
}

describe('the nonces of a key', () => {
  it('are counted once a second, however many messages name the key', async () => {
    const { nonces, rows } = countedNonces();
    for (let n = 0; n < 500; n += 1) await nonces.isFull('k', 7 + n / 1_000);
    await Promise.all(Array.from({ length: 500 }, () => nonces.isFull('k', 8)));
    expect(rows.asked).toEqual([7, 8]);
  });

  it('are full with the one that fills the allowance, not a second later', async () => {
    const { nonces } = countedNonces();
    for (let n = 0; n < 20; n += 1) {
      expect(await nonces.isFull('k', 7, 20)).toBe(false);
      await nonces.remember(seen(`n${n}`), 7);
      await nonces.remember(seen(`n${n}`), 7); // counts once
    }
    expect(await nonces.isFull('k', 7, 20)).toBe(true);
  });

  it('of other processes count from the next second on, also when a clock was put back', async () => {
    const { nonces, rows } = countedNonces();
    expect(await nonces.isFull('k', 7, 1)).toBe(false);
    rows.nonces.add('of another process');
    expect(await nonces.isFull('k', 6, 1)).toBe(true);
  });

  it('are counted again when they could not be', async () => {
    const { nonces, rows } = countedNonces();
    rows.fails = true;
    await expect(nonces.isFull('k', 7)).rejects.toThrow('away');
    rows.fails = false;
    expect(await nonces.isFull('k', 7)).toBe(false);
  });

  it('take room for a bounded number of keys', async () => {
    const { nonces, rows } = countedNonces();
    for (let n = 0; n <= 1_000; n += 1) await nonces.isFull(`k${n}`, 7);
    await nonces.isFull('k1000', 7);
    expect(rows.asked).toHaveLength(1_001);
    await nonces.isFull('k0', 7);
    expect(rows.asked).toHaveLength(1_002);
  });
});

describe('the nonces of the records', () => {
  it('are counted and forgotten by their key and time, so that no message reads those that still count', async () => {
    const plans = await plansOf({ key: 'k', n: 1 }, async (store) => {
      const nonces = createNonces(store);
      await nonces.isFull('k', 1);
      await nonces.remember(seen('a'), 1);
    });
    const byKeyAndTime = expect.stringMatching(
      /USING COVERING INDEX signature_nonce_key \(key=\? AND until[<>]\?\)/,
    );
    expect(plans.filter((plan) => plan.startsWith('SEARCH'))).toEqual([byKeyAndTime, byKeyAndTime]);
  });
});
