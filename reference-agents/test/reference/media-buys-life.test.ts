import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { MediaBuyStatus } from '../../../src/protocol/generated/types.ts';
import {
  isFinal,
  NO_CREATIVES,
  NO_PACKAGES,
  nextChangeAt,
  nextStatus,
  TRANSITIONS,
} from '../../src/reference/media-buys/life.ts';
import type { StoredMediaBuy } from '../../src/reference/media-buys/stored.ts';
import { aBuy, aPackage, DAY_MS, START } from './media-buys-support.ts';

const END = START + 10 * DAY_MS;
const BEFORE = START - DAY_MS;
const DURING = START + DAY_MS;
const AFTER = END + DAY_MS;

const waiting = [aPackage({ assignments: [{ creativeId: 'cr-1', approved: false }] })];
const canceled = [aPackage({ canceled: true })];

interface Case {
  readonly status: MediaBuyStatus;
  readonly now: number;
  readonly with?: Partial<StoredMediaBuy>;
  readonly becomes: MediaBuyStatus | 'the same';
  readonly at?: number;
}

// biome-ignore format: a decision table
const CASES: readonly Case[] = [
  { status: 'pending_creatives', now: BEFORE, becomes: 'pending_start', at: BEFORE },
  { status: 'pending_creatives', now: DURING, becomes: 'active', at: DURING },
  { status: 'pending_creatives', now: BEFORE, with: { packages: waiting }, becomes: 'the same' },
  { status: 'pending_creatives', now: DURING, with: { packages: waiting }, becomes: 'the same' },
  { status: 'pending_creatives', now: AFTER, with: { packages: waiting }, becomes: 'rejected', at: END },
  { status: 'pending_creatives', now: BEFORE, with: { paused: true }, becomes: 'paused', at: BEFORE },
  { status: 'pending_creatives', now: BEFORE, with: { packages: canceled }, becomes: 'canceled', at: BEFORE },
  { status: 'pending_creatives', now: BEFORE, with: { packages: waiting, creativesWaived: true }, becomes: 'pending_start', at: BEFORE },
  { status: 'pending_start', now: BEFORE, becomes: 'the same' },
  { status: 'pending_start', now: START, becomes: 'active', at: START },
  { status: 'pending_start', now: DURING, becomes: 'active', at: START },
  { status: 'pending_start', now: AFTER, becomes: 'active', at: START },
  { status: 'pending_start', now: BEFORE, with: { packages: waiting }, becomes: 'pending_creatives', at: BEFORE },
  { status: 'pending_start', now: BEFORE, with: { paused: true }, becomes: 'paused', at: BEFORE },
  { status: 'active', now: DURING, becomes: 'the same' },
  { status: 'active', now: DURING, with: { packages: waiting }, becomes: 'the same' },
  { status: 'active', now: DURING, with: { paused: true }, becomes: 'paused', at: DURING },
  { status: 'active', now: DURING, with: { packages: canceled }, becomes: 'canceled', at: DURING },
  { status: 'active', now: END, becomes: 'completed', at: END },
  { status: 'active', now: AFTER, becomes: 'completed', at: END },
  { status: 'paused', now: DURING, with: { paused: true }, becomes: 'the same' },
  { status: 'paused', now: BEFORE, becomes: 'pending_start', at: BEFORE },
  { status: 'paused', now: DURING, becomes: 'active', at: DURING },
  { status: 'paused', now: DURING, with: { packages: waiting }, becomes: 'pending_creatives', at: DURING },
  { status: 'paused', now: AFTER, with: { paused: true }, becomes: 'completed', at: END },
  { status: 'completed', now: AFTER, with: { packages: canceled }, becomes: 'the same' },
  { status: 'rejected', now: DURING, becomes: 'the same' },
  { status: 'canceled', now: DURING, with: { paused: true }, becomes: 'the same' },
];

describe('what becomes of a media buy', () => {
  it.each(CASES)('$status at $now becomes $becomes', ({ status, now, with: parts, becomes, at }) => {
    const next = nextStatus(aBuy({ status, ...parts }), now);
    if (becomes === 'the same') expect(next).toBeUndefined();
    else expect(next).toMatchObject({ status: becomes, at });
  });

  it('says why it was rejected or canceled', () => {
    const late = aBuy({ status: 'pending_creatives', packages: waiting });
    expect(nextStatus(late, AFTER)?.reason).toBe(NO_CREATIVES);
    expect(nextStatus(aBuy({ packages: canceled }), BEFORE)?.reason).toBe(NO_PACKAGES);
  });

  it.each([
    ['pending_creatives', END],
    ['pending_start', START],
    ['active', END],
    ['paused', END],
    ['completed', undefined],
    ['rejected', undefined],
    ['canceled', undefined],
  ] as const)('is looked at again, when %s, at %s', (status, at) => {
    expect(nextChangeAt(aBuy({ status }))).toBe(at);
  });

  it('only ever makes transitions of the table, in the order of time, until it is final after its end', () => {
    const statuses = Object.keys(TRANSITIONS) as MediaBuyStatus[];
    const anyBuy = fc.record({
      status: fc.constantFrom(...statuses),
      paused: fc.boolean(),
      packages: fc.array(
        fc
          .record({ canceled: fc.boolean(), approved: fc.boolean() })
          .map(({ canceled: gone, approved }) =>
            aPackage({ canceled: gone, assignments: [{ creativeId: 'cr-1', approved }] }),
          ),
        { minLength: 1, maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(anyBuy, fc.integer({ min: -3, max: 14 }), (parts, day) => {
        let buy = aBuy({ ...parts, statusSince: START - 4 * DAY_MS });
        for (let steps = 0; steps < 5; steps += 1) {
          const change = nextStatus(buy, START + day * DAY_MS);
          if (change === undefined) break;
          expect(TRANSITIONS[buy.status]).toContain(change.status);
          expect(change.at).toBeGreaterThanOrEqual(buy.statusSince);
          buy = { ...buy, status: change.status, statusSince: change.at };
        }
        expect(nextStatus(buy, START + day * DAY_MS)).toBeUndefined();
        if (day >= 10) expect(isFinal(buy.status)).toBe(true);
      }),
    );
  });
});
