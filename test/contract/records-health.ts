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
  });
}
