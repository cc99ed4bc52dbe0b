import { describe, expect, it } from 'vitest';
import { decideChange } from '../../src/compliance/decide.ts';
import type { Records } from '../../src/ports/records.ts';
import type { ComplianceBefore } from '../../src/records/runs/compliance-store.ts';
import { INCONCLUSIVE } from '../compliance/support/judged-runs.ts';
import { AGENT, changeTo, DAY, keepRun, owned, ownedAt } from './compliance-fixtures.ts';
import { HOUR, LEASE, NOW, observed, type RecordsWorld } from './records-fixtures.ts';
import { clean, own } from './records-owners.ts';
import { probing, takeOne } from './records-steps.ts';

/** Whose badges are to be looked at although nothing was tested, and what that mends. */
export function describeReconsider(world: () => RecordsWorld): void {
  describe('badges', () => {
    it('are to be looked at a day after the last look, longest ago first, as long as somebody owns the agent', async () => {
      const { records } = world();
      const [first, second] = ['https://a.example/mcp', 'https://b.example/mcp'];
      await ownedAt(records, { [first]: NOW, [second]: NOW + 1 });
      const { runs, compliance, owners } = records;
      expect(await runs.toReconsider(9, NOW + 1)).toEqual([first, second]); // whoever proved it may have died
      await compliance.reconsider(second, decideChange({ now: NOW }), NOW);
      await compliance.reconsider(first, decideChange({ now: NOW + 2 }), NOW + 2);
      expect(await runs.toReconsider(9, NOW + DAY - 1)).toEqual([]);
      expect(await runs.toReconsider(9, NOW + DAY + 2)).toEqual([second, first]);
      expect(await runs.toReconsider(1, NOW + DAY + 2)).toEqual([second]);
      await owners.disown(second, 'acme', NOW + DAY + 2);
      expect(await runs.toReconsider(9, NOW + DAY + 2)).toEqual([first, second]);
      await compliance.reconsider(second, decideChange({ now: NOW + DAY }), NOW + DAY);
      expect(await runs.toReconsider(9, NOW + 30 * DAY)).toEqual([first]);
    });

    it('are looked at later when that is said, unless something changes', async () => {
      const { records } = world();
      await ownedAt(records, { 'https://a.example/mcp': NOW, 'https://b.example/mcp': NOW });
      const { runs, owners } = records;
      await runs.reconsiderLater('https://a.example/mcp', NOW + HOUR);
      expect(await runs.toReconsider(9, NOW + HOUR - 1)).toEqual(['https://b.example/mcp']);
      expect(await runs.toReconsider(9, NOW + HOUR)).toEqual([
        'https://b.example/mcp',
        'https://a.example/mcp',
      ]);
      const change = { agent: 'https://a.example/mcp', change: { optedOut: true } };
      await owners.changeSettings({ ...change, actor: { kind: 'operator' } }, NOW + 2);
      expect(await runs.toReconsider(9, NOW + 2)).toEqual(['https://b.example/mcp', 'https://a.example/mcp']);
      await runs.reconsiderLater('https://never.example/mcp', NOW);
      expect(await runs.toReconsider(9, NOW + HOUR)).toHaveLength(2);
    });

    it.each<[string, (records: Records, now: number) => Promise<unknown>]>([
      ['settings', (records, now) => changeTo(records, { lifecycleStage: 'testing' }, now)],
      [
        'membership',
        ({ members }, now) =>
          members.import([{ slug: 'acme', displayName: 'Acme', foundingMember: false, tier: 'none' }], now),
      ],
      ['owner', (records, now) => own(records, 'bolt', now)],
      ['registration', ({ owners }, now) => owners.unregister(AGENT, 'acme', now)],
    ])('are to be looked at when the %s changed', async (_what, change) => {
      const { records } = world();
      await owned(records);
      await records.compliance.reconsider(AGENT, decideChange({ now: NOW }), NOW);
      expect(await records.runs.toReconsider(9, NOW + 5)).toEqual([]);
      await change(records, NOW + 5);
      expect(await records.runs.toReconsider(9, NOW + 5)).toEqual([AGENT]);
    });
  });

  it('are looked at with the probes of the last 7 days, and how many of these found the agent healthy', async () => {
    const { records } = world();
    await owned(records);
    for (const [at, online] of [
      [NOW, true],
      [NOW + DAY, true],
      [NOW + 7 * DAY, false],
      [NOW + 8 * DAY, true],
    ] as const) {
      const work = await takeOne(records, 'agent', AGENT, at);
      await records.sources.commitProbe(
        probing(work, observed(AGENT, { at, health: { online } }), { at, nextVisitAt: at + 1 }),
      );
    }
    const probes: object[] = [];
    const look = (before: ComplianceBefore) => {
      probes.push(before.probes);
      return decideChange({ now: NOW })(before);
    };
    await records.compliance.reconsider(AGENT, look, NOW + 8 * DAY);
    expect(probes).toEqual([{ total: 3, healthy: 2 }]);
  });

  describe('a schedule', () => {
    it('is not put off for ever by a clock that was put back', async () => {
      const { records } = world();
      await owned(records);
      const early = NOW - 60 * DAY;
      expect(await records.runs.due(9, early)).toEqual([]);
      expect(await records.runs.toReconsider(9, early)).toEqual([AGENT]);
      await records.compliance.reconsider(AGENT, decideChange({ now: early }), early);
      expect(await records.runs.due(9, early)).toMatchObject([{ key: AGENT }]);
      await keepRun(records, NOW, INCONCLUSIVE);
      await records.compliance.reconsider(AGENT, decideChange({ now: early }), early);
      expect(await records.runs.due(9, early + 12 * HOUR)).toMatchObject([{ key: AGENT }]);
    });

    it('goes with its agent', async () => {
      const { records } = world();
      await owned(records);
      await records.owners.unregister(AGENT, 'acme', NOW);
      await clean(records);
      expect(await records.runs.toReconsider(9, NOW)).toEqual([AGENT]);
      expect(await records.prune(NOW + 31 * DAY)).toMatchObject({ tombstones: 1 });
      expect(await records.runs.toReconsider(9, NOW)).toEqual([]);
      expect(await records.runs.claim(AGENT, NOW, LEASE, 'somebody')).toBeUndefined();
    });

    it('is forgotten with its agent, and its opt-out is not: the change log still tells of it', async () => {
      const { records } = world();
      await owned(records);
      await changeTo(records, { optedOut: true });
      await records.owners.unregister(AGENT, 'acme', NOW);
      await clean(records);
      expect(await records.prune(NOW + 31 * DAY)).toMatchObject({ tombstones: 1 });
      expect(await records.owners.settings(AGENT)).toBeUndefined();
      expect(await records.agents.optedOutSince(0)).toEqual([AGENT]);
    });
  });
}
