import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { centsFor, figuresFor, type Price, unitsFor } from '../../src/reference/media-buys/price.ts';
import { figuresAt, paced } from '../../src/reference/media-buys/segments.ts';
import type { StoredMediaBuy, StoredPackage } from '../../src/reference/media-buys/stored.ts';
import { aBuy, aPackage, DAY_MS, START } from './media-buys-support.ts';

const active = aBuy({ status: 'active' });

function day(count: number): number {
  return START + count * DAY_MS;
}

function running(parts: Partial<StoredPackage> = {}, buy: StoredMediaBuy = active): StoredPackage {
  return paced(aPackage(parts), buy, START);
}

describe('the delivery of a package', () => {
  it('begins with the flight and has spent its budget at the end', () => {
    const part = running();
    expect(figuresAt(part, day(0)).impressions).toBe(0);
    expect(figuresAt(part, day(10))).toEqual({
      impressions: 100_000,
      clicks: 200,
      completions: 0,
      cents: 100_000,
    });
    expect(figuresAt(part, day(99))).toEqual(figuresAt(part, day(10)));
  });

  it('is near half of it after half of the flight, and the same whenever it is asked for', () => {
    const part = running();
    const half = figuresAt(part, day(5)).cents;
    expect(half).toBeGreaterThan(45_000);
    expect(half).toBeLessThan(55_000);
    expect(figuresAt(part, day(5)).cents).toBe(half);
  });

  it('stands still while the buy or the package is paused, and makes up for it later', () => {
    const stopped = paced(running(), { ...active, status: 'paused' }, day(2));
    const before = figuresAt(stopped, day(2));
    expect(figuresAt(stopped, day(6))).toEqual(before);
    const again = paced(stopped, active, day(6));
    expect(figuresAt(again, day(4))).toEqual(before);
    expect(figuresAt(again, day(10)).cents).toBe(100_000);
  });

  it('does not begin without an approved creative', () => {
    const part = running({ assignments: [{ creativeId: 'cr-1', approved: false }] });
    expect(figuresAt(part, day(9)).impressions).toBe(0);
  });

  it('is faster or slower after feedback, and what was delivered stays', () => {
    const part = running();
    const before = figuresAt(part, day(3));
    const faster = paced({ ...part, pace: 1.5 }, active, day(3));
    const slower = paced({ ...part, pace: 0.5 }, active, day(3));
    expect(figuresAt(faster, day(3))).toEqual(before);
    expect(figuresAt(faster, day(7)).cents).toBeGreaterThan(figuresAt(part, day(7)).cents);
    expect(figuresAt(slower, day(7)).cents).toBeLessThan(figuresAt(part, day(7)).cents);
    expect(figuresAt(slower, day(10)).cents).toBeLessThan(100_000);
  });

  it('keeps the dates of the package within those of the buy', () => {
    const part = running({ startsAt: day(4), endsAt: day(6) });
    expect(figuresAt(part, day(4)).impressions).toBe(0);
    expect(figuresAt(part, day(6)).cents).toBe(100_000);
  });

  it.each<readonly [string, Price, object]>([
    ['by the thousand', { model: 'cpm', price: 10 }, { impressions: 10_000, clicks: 50, cents: 10_000 }],
    ['by the click', { model: 'cpc', price: 0.5 }, { impressions: 40_000, clicks: 200, cents: 10_000 }],
    ['by the completed view', { model: 'cpcv', price: 0.05 }, { completions: 2_000, impressions: 2_500 }],
    ['at a flat rate', { model: 'flat_rate', price: 100 }, { impressions: 12_500, cents: 10_000 }],
    ['for nothing', { model: 'cpm', price: 0 }, { impressions: 12_500, cents: 0 }],
  ])('counts what is paid for %s', (_name, price, expected) => {
    const rates = { click: 0.005, completion: 0.8 };
    expect(figuresFor(price, unitsFor(price, 10_000), rates)).toMatchObject(expected);
  });

  it('never costs more than the money there is, for any price', () => {
    const price = fc.record({
      model: fc.constantFrom('cpm', 'vcpm', 'cpc', 'cpcv', 'flat_rate', 'something'),
      price: fc.oneof(
        fc.integer({ min: 0, max: 100_000 }).map((cents) => cents / 100),
        fc.double({ min: 0, noNaN: true }),
      ),
    });
    fc.assert(
      fc.property(price, fc.nat(1_000_000_000), (paid, cents) => {
        const cost = centsFor(paid, unitsFor(paid, cents));
        expect(cost).toBeGreaterThanOrEqual(0);
        expect(cost).toBeLessThanOrEqual(cents);
      }),
    );
  });

  it('grows with time and stays within the budget, whatever is changed on the way', () => {
    fc.assert(
      fc.property(fc.array(anyChange, { maxLength: 12 }), anyPrice, (changes, price) => {
        let part = running({ price, rates: { click: 0.003, completion: 0.7 } });
        let at = START;
        for (const change of changes) {
          const last = figuresAt(part, at);
          at += change.after;
          const before = figuresAt(part, at);
          expect(before.cents).toBeGreaterThanOrEqual(last.cents);
          part = paced(changedBy(part, change, before.cents), buyAfter(change), at);
          expect(figuresAt(part, at)).toEqual(before);
          expect(before.cents).toBeLessThanOrEqual(part.budget);
        }
        growsFrom(part);
      }),
    );
  });
});

interface Change {
  readonly after: number;
  readonly status: 'active' | 'paused';
  readonly budget: number;
  readonly pace: number;
  readonly days: number;
}

const anyChange: fc.Arbitrary<Change> = fc.record({
  after: fc.integer({ min: 0, max: 2 * DAY_MS }),
  status: fc.constantFrom('active', 'active', 'paused'),
  budget: fc.integer({ min: 1, max: 500_000 }),
  pace: fc.constantFrom(0.1, 0.5, 1, 1.7, 3),
  days: fc.integer({ min: 1, max: 30 }),
});

const anyPrice = fc.constantFrom(
  { model: 'cpm', price: 4.35 },
  { model: 'cpc', price: 0.29 },
  { model: 'cpcv', price: 0.07 },
  { model: 'flat_rate', price: 500 },
);

function changedBy(part: StoredPackage, { budget, pace }: Change, spent: number): StoredPackage {
  return { ...part, pace, budget: Math.max(budget, spent) };
}

function buyAfter({ status, days }: Change): StoredMediaBuy {
  return { ...active, status, endsAt: day(days) };
}

/** Every figure, over all days, in steps that do not fall together with the changes. */
function growsFrom(part: StoredPackage): void {
  let last = figuresAt(part, START);
  for (let at = START; at <= day(32); at += 0.37 * DAY_MS) {
    const next = figuresAt(part, at);
    for (const figure of ['impressions', 'clicks', 'completions', 'cents'] as const) {
      expect(next[figure]).toBeGreaterThanOrEqual(last[figure]);
    }
    last = next;
  }
  expect(last.cents).toBeLessThanOrEqual(part.budget);
}
