import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CapStore } from '../../src/ports/cap-store.ts';
import { openCapStore } from '../../src/records/sqlite/cap-store.ts';
import { createMemoryCaps } from '../../src/trusted-match/memory-caps.ts';
import { ANN, BEN, identity, startProvider } from './support.ts';

const STORES: readonly (readonly [string, () => CapStore])[] = [
  ['in memory', createMemoryCaps],
  ['in SQLite', () => openedHere()],
];
const CAPPED = { packageId: 'rail-pass', frequencyCap: { maxImpressions: 2, windowSeconds: 60 } };

function openedHere(): CapStore {
  const store = openCapStore(':memory:');
  onTestFinished(() => store.close());
  return store;
}

describe('an identity match', () => {
  it('says which of the packages may be shown, in the order of the request, and for how long', async () => {
    const { post } = startProvider({ rules: [{ packageId: 'spring-sale' }, { packageId: 'rail-pass' }] });
    const request = identity({ package_ids: ['rail-pass', 'unknown', 'spring-sale'] });
    expect((await post('/identity', request)).body).toEqual({
      request_id: request.request_id,
      eligible_package_ids: ['rail-pass', 'spring-sale'],
      ttl_seconds: 60,
    });
  });

  it('knows audiences and suppression', async () => {
    const { eligible } = startProvider({
      rules: [
        { packageId: 'for-fans', audiences: ['fans', 'friends'] },
        { packageId: 'for-new', suppressedAudiences: ['customers'] },
        { packageId: 'for-new-fans', audiences: ['fans'], suppressedAudiences: ['customers'] },
      ],
      members: { fans: [ANN, BEN], customers: [BEN], friends: [] },
    });
    const all = ['for-fans', 'for-new', 'for-new-fans'];
    expect(await eligible(ANN, ...all)).toEqual(all);
    expect(await eligible(BEN, ...all)).toEqual(['for-fans']);
    expect(await eligible(`${ANN}x`, ...all)).toEqual(['for-new']);
  });

  it('refuses a duplicate request id', async () => {
    const { post } = startProvider();
    const request = identity();
    expect((await post('/identity', request)).status).toBe(200);
    expect((await post('/identity', request)).body.code).toBe('request_id_reused');
  });
});

describe.each(STORES)('a frequency cap %s', (_name, open) => {
  it('holds from its last exposure on, for that token and package only', async () => {
    const other = { ...CAPPED, packageId: 'spring-sale' };
    const { eligible, show } = startProvider({ rules: [CAPPED, other], caps: open() });
    expect((await show(ANN, 'rail-pass')).body).toMatchObject({ counted: true });
    expect(await eligible(ANN, 'rail-pass', 'spring-sale')).toEqual(['rail-pass', 'spring-sale']);
    await show(ANN, 'rail-pass');
    expect(await eligible(ANN, 'rail-pass', 'spring-sale')).toEqual(['spring-sale']);
    expect(await eligible(BEN, 'rail-pass', 'spring-sale')).toEqual(['rail-pass', 'spring-sale']);
  });

  it('opens at the very end of its sliding window, not before', async () => {
    const { eligible, show, wait } = startProvider({ rules: [CAPPED], caps: open() });
    await show(ANN, 'rail-pass');
    wait(10_000);
    await show(ANN, 'rail-pass');
    wait(49_999);
    expect(await eligible(ANN, 'rail-pass')).toEqual([]);
    wait(1);
    expect(await eligible(ANN, 'rail-pass')).toEqual(['rail-pass']);
    await show(ANN, 'rail-pass');
    expect(await eligible(ANN, 'rail-pass')).toEqual([]);
    wait(10_000);
    expect(await eligible(ANN, 'rail-pass')).toEqual(['rail-pass']);
  });

  it('counts an exposure that is reported again once, and refuses its id for another', async () => {
    const { eligible, show } = startProvider({ rules: [CAPPED], caps: open() });
    const id = randomUUID();
    const first = await show(ANN, 'rail-pass', id);
    expect(await show(ANN, 'rail-pass', id)).toEqual(first);
    expect(await eligible(ANN, 'rail-pass')).toEqual(['rail-pass']);
    expect(await show(BEN, 'rail-pass', id)).toMatchObject({
      status: 409,
      body: { code: 'exposure_conflict', pointer: '/request_id' },
    });
  });

  it('counts the same after any history as one that remembers everything', async () => {
    const step = fc.record({
      token: fc.constantFrom(ANN, BEN),
      packageId: fc.constantFrom('a', 'b'),
      wait: fc.integer({ min: 0, max: 40_000 }),
    });
    const rules = [
      { packageId: 'a', frequencyCap: { maxImpressions: 1, windowSeconds: 30 } },
      { packageId: 'b', frequencyCap: { maxImpressions: 3, windowSeconds: 100 } },
    ];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const { eligible, show, wait } = startProvider({ rules, caps: open() });
        const history: { token: string; packageId: string; at: number }[] = [];
        let now = 0;
        for (const { token, packageId, wait: ms } of steps) {
          wait(ms);
          now += ms;
          await show(token, packageId);
          history.push({ token, packageId, at: now });
          const expected = rules.filter(({ packageId: id, frequencyCap: cap }) => {
            const own = history.filter((one) => one.token === token && one.packageId === id);
            return own.filter(({ at }) => now - at < cap.windowSeconds * 1_000).length < cap.maxImpressions;
          });
          expect(await eligible(token, 'a', 'b')).toEqual(expected.map((rule) => rule.packageId));
        }
      }),
      { numRuns: 25 },
    );
  });
});

describe('an exposure', () => {
  it('of a package without a cap is not counted, of an unknown one refused', async () => {
    const { show } = startProvider({ rules: [{ packageId: 'rail-pass' }] });
    expect((await show(ANN, 'rail-pass')).body).toMatchObject({ counted: false });
    expect(await show(ANN, 'spring-sale')).toMatchObject({
      status: 400,
      body: { code: 'unknown_package', pointer: '/package_id' },
    });
  });
});
