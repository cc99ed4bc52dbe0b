import { describe, expect, it } from 'vitest';
import { HOUR, LEASE, NOW, observed, type RecordsWorld } from './records-fixtures.ts';
import { probing, publish } from './records-steps.ts';

const DAY = 24 * HOUR;
/** A midnight. */
const FROM = Math.floor(NOW / DAY) * DAY;

/** The health of many agents, day by day. */
export function describeHealthDays(world: () => RecordsWorld): void {
  /** Planned probes of an agent, by the hours after FROM, each with what was found. */
  async function probe(agent: string, seen: readonly (readonly [number, boolean])[]): Promise<void> {
    const { records } = world();
    const { sources } = records;
    const file = { authorized_agents: [{ url: agent, authorized_for: 'All' }] };
    await publish(records, `p${new URL(agent).hostname}`, file, FROM);
    for (const [hours, online] of seen) {
      const at = FROM + hours * HOUR;
      const [work] = await sources.takeKeys('agent', [agent], at, LEASE);
      if (work === undefined) throw new Error(`${agent} is not due at hour ${hours}`);
      const found = observed(agent, { at, health: { online } });
      await sources.commitProbe(probing(work, found, { at, nextVisitAt: at + HOUR }));
    }
  }
  describe('the health of many agents', () => {
    it('is told for each day: always, sometimes, never, or nothing known', async () => {
      const [one, other] = ['https://a.example/', "https://b.example/it's"];
      await probe(one, [
        [1, true],
        [23, true],
        [24, true],
        [30, false],
        [72, false],
      ]);
      await probe(other, [[71, true]]);
      const days = await world().records.agents.healthDays([one, other, 'https://never.example/'], {
        from: FROM,
        now: FROM + 80 * HOUR,
      });
      expect(Object.fromEntries(days)).toEqual({
        [one]: ['always', 'sometimes', 'unknown', 'never'],
        [other]: ['unknown', 'unknown', 'always', 'unknown'],
        'https://never.example/': ['unknown', 'unknown', 'unknown', 'unknown'],
      });
    });

    it('is of the period alone, and of nobody where nobody is named', async () => {
      const agent = 'https://a.example/';
      await probe(agent, [
        [1, false],
        [25, true],
        [30, false],
      ]);
      const { agents } = world().records;
      const period = { from: FROM + DAY, now: FROM + 26 * HOUR };
      expect(await agents.healthDays([agent], period)).toEqual(new Map([[agent, ['always']]]));
      expect(await agents.healthDays([], period)).toEqual(new Map());
    });

    it('is forgotten with its day after 90 days, but for what was found last', async () => {
      const agent = 'https://a.example/';
      await probe(agent, [
        [1, true],
        [2, true],
        [26, false],
        [50, true],
      ]);
      const { records } = world();
      const answered = async () => {
        const period = { from: FROM - 10 * DAY, now: FROM + 100 * DAY, stepMs: DAY };
        return (await records.agents.health(agent, period)).whole.probes;
      };
      const found = async () =>
        (await records.agents.observations(agent, 9)).map(({ at }) => (at - FROM) / HOUR);
      expect([await answered(), await found()]).toEqual([4, [50, 26, 1]]);
      expect(await records.prune(FROM + 91 * DAY)).toMatchObject({ observations: 2, tombstones: 0 });
      expect([await answered(), await found()]).toEqual([2, [50, 26]]);
      expect(await records.prune(FROM + 95 * DAY)).toMatchObject({ observations: 1, tombstones: 0 });
      expect([await answered(), await found()]).toEqual([1, [50]]);
    });

    it('goes with an agent that nobody names any more', async () => {
      const agent = 'https://a.example/';
      await probe(agent, [
        [1, true],
        [26, false],
      ]);
      const { records } = world();
      await publish(records, 'pa.example', { authorized_agents: [] }, FROM + 2 * DAY);
      expect(await records.prune(FROM + 40 * DAY)).toMatchObject({ observations: 0, tombstones: 1 });
      const period = { from: FROM, now: FROM + 40 * DAY, stepMs: DAY };
      expect(await records.agents.health(agent, period)).toMatchObject({ whole: { probes: 0 } });
      expect(await records.agents.observations(agent, 9)).toEqual([]);
    });
  });
}
