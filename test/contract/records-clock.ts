import { describe, expect, it } from 'vitest';
import { agentAt, domain, HOUR, LEASE, NOW, type RecordsWorld } from './records-fixtures.ts';

const YEAR = 365 * 24 * HOUR;
/** A clock is read over a connection, which a busy machine may hold up. */
const CLOSE = 20_000;
const AGENT = 'https://agent.news.example/mcp';

/** The one clock of all processes, and what a clock that was ahead has left behind. */
export function describeClock(world: () => RecordsWorld): void {
  describe('the clock of the records', () => {
    it('goes, is settled, and is the same for every process', async () => {
      const { records, harness } = world();
      const other = await harness.open();
      expect(Math.abs(records.clock.now() - other.clock.now())).toBeLessThan(CLOSE);
      expect(Math.abs(records.clock.settled() - records.clock.now())).toBeLessThan(CLOSE);
      expect(Math.abs(records.clock.skewMs())).toBeLessThan(CLOSE);
      await other.close();
    });

    it('brings back visits that a clock a year ahead has planned', async () => {
      const { sources } = world().records;
      await sources.add([domain('news.example'), agentAt(AGENT)], NOW + YEAR);
      for (const kind of ['domain', 'agent'] as const) {
        expect((await sources.due(kind, 10, NOW)).map(({ dueAt }) => dueAt)).toEqual([NOW]);
        expect(await sources.takeDue(kind, 10, NOW, LEASE)).toHaveLength(1);
      }
    });

    it('leaves a visit that is as far ahead as any, by a clock that is a minute ahead', async () => {
      const { sources } = world().records;
      await sources.add([{ ...domain('news.example'), dueAt: NOW + 30 * 24 * HOUR + 60_000 }], NOW);
      expect(await sources.due('domain', 10, NOW)).toEqual([]);
    });

    it('takes no notice of leases and turns that a clock a year ahead has given', async () => {
      const { records } = world();
      const { sources, politeness, leases } = records;
      await sources.add([domain('news.example')], NOW);
      expect(await sources.takeDue('domain', 10, NOW + YEAR, LEASE)).toHaveLength(1);
      expect(await sources.takeDue('domain', 10, NOW, LEASE)).toHaveLength(1);
      await politeness.claim(['news.example'], 'ahead', NOW + YEAR, LEASE);
      expect(await politeness.claim(['news.example'], 'us', NOW, LEASE)).toEqual(new Set(['news.example']));
      expect(await politeness.claim(['news.example'], 'them', NOW + LEASE, LEASE)).toEqual(
        new Set(['news.example']),
      );
      const yields = { yields: true };
      await politeness.claim(['wanted.example'], 'caller', NOW + YEAR, LEASE, yields);
      await politeness.claim(['wanted.example'], 'ahead', NOW + YEAR, LEASE);
      expect(await politeness.claim(['wanted.example'], 'other', NOW, LEASE, yields)).toEqual(
        new Set(['wanted.example']),
      );
      await leases.take('index', 'ahead', NOW + YEAR, LEASE);
      expect(await leases.heldBy('index', NOW)).toBeUndefined();
      expect(await leases.take('index', 'us', NOW, LEASE)).toMatchObject({ until: NOW + LEASE });
    });
  });
}
