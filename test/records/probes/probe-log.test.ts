import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { LIVE_WINDOW_MS } from '../../../src/domain/badge.ts';
import { healthHistory } from '../../../src/domain/health-history.ts';
import { ERROR_CLASSES } from '../../../src/domain/observation.ts';
import { createHealthStore } from '../../../src/records/agents/health.ts';
import { keepProbe, type LatestDay } from '../../../src/records/probes/keep-probe.ts';
import {
  countPacked,
  type KeptProbe,
  MAX_OF_DAY,
  unpacked,
  withProbe,
} from '../../../src/records/probes/probe-log.ts';
import { readLiveProbes } from '../../../src/records/runs/compliance-state.ts';
import { createSqliteStore } from '../../../src/records/sqlite/database.ts';
import { openSqliteRecords } from '../../../src/records/sqlite/sqlite-records.ts';
import { observed } from '../../contract/records-fixtures.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** A midnight. */
const FROM = Date.UTC(2026, 0, 5);
const NOW = FROM + 20 * DAY + 7 * HOUR;

const { database, close } = await openSqliteRecords({ path: ':memory:' });
const store = createSqliteStore(database);
afterAll(close);
const health = createHealthStore(store);
let agents = 0;

/** Keeps these probes in this order; the agent that they are of. */
async function kept(probes: readonly KeptProbe[]): Promise<string> {
  agents += 1;
  const agent = `https://a${agents}.example/`;
  const today = database.statement('SELECT day, found, probes FROM probe_today WHERE agent = ?');
  await store.transaction(async (db) => {
    for (const { at, asked, ...seen } of probes) {
      const before = (today.get(agent) ?? { day: null, found: null, probes: null }) as unknown as LatestDay;
      const observation = observed(agent, { at, health: seen });
      await keepProbe(db, { observation, exposed: null, asked }, before);
    }
  });
  return agent;
}

const probe: fc.Arbitrary<KeptProbe> = fc.record(
  {
    at: fc.oneof(fc.integer({ min: FROM - 3 * DAY, max: NOW + DAY }), fc.constantFrom(FROM, FROM - 1, NOW)),
    online: fc.boolean(),
    asked: fc.boolean(),
    responseTimeMs: fc.integer({ min: 0, max: 3_600_000 }),
    errorClass: fc.constantFrom(...ERROR_CLASSES),
  },
  { requiredKeys: ['at', 'online', 'asked'] },
);
/** Mostly as time goes on; a clock that is put back makes another order. */
const inOrder = (probes: readonly KeptProbe[]) => probes.toSorted((a, b) => a.at - b.at);
const sequence = fc.oneof(
  fc.array(probe, { maxLength: 60 }).map(inOrder),
  fc.array(probe, { maxLength: 20 }),
);

describe('packed probes', () => {
  it('answer as the probes themselves do: history, strip of days and the live axis', async () => {
    await fc.assert(
      fc.asyncProperty(sequence, fc.constantFrom(HOUR, DAY), async (probes, stepMs) => {
        const agent = await kept(probes);
        const planned = inOrder(probes)
          .filter(({ asked, at }) => !asked && at <= NOW)
          .map(({ asked: _asked, ...seen }) => seen);
        const period = { from: FROM, now: NOW, stepMs };
        const read = planned.filter(({ at }) => at >= FROM - 25 * HOUR);
        expect(await health.health(agent, period)).toEqual({ ...healthHistory(read, period), isCut: false });
        const days = Array.from({ length: 21 }, (_, day) => {
          const of = planned.filter(({ at }) => Math.floor((at - FROM) / DAY) === day);
          if (of.length === 0) return 'unknown';
          if (of.every(({ online }) => online)) return 'always';
          return of.some(({ online }) => online) ? 'sometimes' : 'never';
        });
        expect((await health.healthDays([agent], period)).get(agent)).toEqual(days);
        const live = planned.filter(({ at }) => at >= NOW - LIVE_WINDOW_MS);
        expect(await store.read((db) => readLiveProbes(db, agent, NOW))).toEqual({
          total: live.length,
          healthy: live.filter(({ online }) => online).length,
        });
      }),
      { numRuns: 60 },
    );
  });

  it('are read as they were written, to the millisecond and in every class', () => {
    fc.assert(
      fc.property(fc.array(probe, { maxLength: 9 }), fc.integer({ min: 0, max: 20_000 }), (probes, day) => {
        const ofDay = inOrder(probes.map((one) => ({ ...one, at: (one.at % DAY) + day * DAY })));
        const bytes = ofDay.reduce<Uint8Array>(withProbe, new Uint8Array());
        expect(bytes.byteLength).toBe(7 * probes.length);
        expect(unpacked([{ day, probes: bytes }])).toEqual(ofDay);
      }),
    );
  });

  it('of one day have an end, and those that are asked for take no place of a planned one', () => {
    const one = { at: FROM, online: true, asked: true };
    let bytes: Uint8Array = new Uint8Array();
    const add = (more: number, asked: boolean) => {
      for (let n = 0; n < more; n += 1) bytes = withProbe(bytes, { ...one, asked });
      return countPacked({ probes: bytes });
    };
    expect([add(MAX_OF_DAY, true), add(1, false), add(1, true)]).toEqual([500, 501, 501]);
    expect(add(MAX_OF_DAY, false)).toBe(MAX_OF_DAY);
  });
});
