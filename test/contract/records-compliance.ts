import { describe, expect, it } from 'vitest';
import { decideChange, decideImport, EARLIER } from '../../src/compliance/decide.ts';
import { judgeRun } from '../../src/compliance/verdict/verdict.ts';
import { isActive } from '../../src/domain/badge.ts';
import { NEVER_RUN } from '../../src/domain/standing.ts';
import type { Records } from '../../src/ports/records.ts';
import { DRY, INCONCLUSIVE, run } from '../compliance/support/judged-runs.ts';
import { AGENT, keepRun, owned, SELLER, SELLER_FAILS } from './compliance-fixtures.ts';
import { HOUR, NOW, type RecordsWorld } from './records-fixtures.ts';
import { clean, registered } from './records-owners.ts';

async function dirty({ agents }: Records): Promise<readonly string[]> {
  return (await agents.takeDirty(10, NOW)).map(({ agent }) => agent);
}

const activeRoles = async ({ compliance }: Records) =>
  (await compliance.state(AGENT))?.badges.filter(isActive).map(({ role }) => role);

/** Runs, where agents stand, and badges. */
export function describeCompliance(world: () => RecordsWorld): void {
  describe('compliance', () => {
    it('is nothing for an agent never heard of, and the whole shape for one never tested', async () => {
      const { records } = world();
      expect(await records.compliance.state(AGENT)).toBeUndefined();
      expect(await keepRun(records, NOW)).toBe('unknown_agent');
      expect(await records.compliance.importRuns(AGENT, [], decideImport({ now: NOW }), NOW)).toBeUndefined();
      await registered(records);
      expect(await records.compliance.state(AGENT)).toMatchObject({
        standing: NEVER_RUN,
        badges: [],
        due: null,
      });
      expect(await records.compliance.state(AGENT)).not.toHaveProperty('owner');
      expect(await records.compliance.lastRuns(AGENT, { limit: 5 })).toEqual([]);
    });

    it('keeps a run with standing, badges, timeline and the next run, and marks the agent', async () => {
      const { records } = world();
      await owned(records);
      expect(await keepRun(records, NOW, SELLER)).toBe('saved');
      const state = await records.compliance.state(AGENT);
      expect(state).toMatchObject({
        standing: { status: 'passing', latest: { runId: `run-${NOW}` } },
        badges: [{ role: 'media-buy', line: '3.0', specialisms: ['sales-guaranteed'], revokedAt: null }],
        owner: { member: 'acme', tier: 'builder', subscriptionStatus: 'active' },
      });
      const latest = NOW + 12 * HOUR;
      expect(state?.due).toBeLessThanOrEqual(latest);
      expect(state?.due).toBeGreaterThanOrEqual(latest - EARLIER * 12 * HOUR);
      expect(await records.compliance.badgeEvents(AGENT, { limit: 9 })).toMatchObject([
        { kind: 'earned', role: 'media-buy', line: '3.0', at: NOW, runId: `run-${NOW}` },
      ]);
      expect(await records.compliance.standings('', 5)).toEqual([
        { agent: AGENT, standing: state?.standing },
      ]);
      expect(await records.compliance.standings(AGENT, 5)).toEqual([]);
      expect(await dirty(records)).toEqual([AGENT]);
      expect(await records.agents.facts([AGENT])).toMatchObject([
        {
          compliance: {
            status: 'passing',
            protoVersion: '3.0.0',
            badges: [{ role: 'media-buy', axes: ['spec'] }],
          },
        },
      ]);
    });

    it('keeps the same run once, whatever is said of it the second time', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW, SELLER);
      const before = await records.compliance.state(AGENT);
      expect(await keepRun(records, NOW, SELLER_FAILS)).toBe('known');
      expect(await records.compliance.state(AGENT)).toEqual(before);
      expect(await records.compliance.lastRuns(AGENT, { limit: 9 })).toHaveLength(1);
    });

    it('decides about what is so when it is kept, so that two at once undo nothing', async () => {
      const { records, harness } = world();
      await owned(records);
      const other = await harness.open();
      // The badge is there before: passing runs that are kept behind a later one that fails earn none.
      await keepRun(records, NOW, SELLER, { now: NOW + 9 });
      const saved = await Promise.all(
        [1, 2, 3].map((n) =>
          keepRun(n % 2 === 0 ? records : other, NOW + n, n === 3 ? SELLER_FAILS : SELLER, { now: NOW + 9 }),
        ),
      );
      expect(saved).toEqual(['saved', 'saved', 'saved']);
      const state = await records.compliance.state(AGENT);
      expect(state?.standing.latest?.runId).toBe(`run-${NOW + 3}`);
      expect(state?.standing.lastPassedAt).toBe(NOW + 2);
      expect(await activeRoles(records)).toEqual(['media-buy']);
      await other.close();
    });

    it('leaves everything as it was when the decision throws', async () => {
      const { records } = world();
      await owned(records);
      const report = run(NOW);
      const wanted = { agent: AGENT, run: { ...judgeRun(report), started_at: report.started_at }, report };
      const refuse = () => {
        throw new Error('no');
      };
      await expect(records.compliance.saveRun(wanted, refuse, NOW)).rejects.toThrow('no');
      expect(await records.compliance.lastRuns(AGENT, { limit: 9 })).toEqual([]);
      expect(await records.compliance.evidence(AGENT, report.run_id)).toBeUndefined();
    });

    it('keeps a revoked badge as it is, and the one that is earned anew beside it', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW, SELLER);
      await keepRun(records, NOW + HOUR, SELLER_FAILS);
      expect(await activeRoles(records)).toEqual(['media-buy']); // in grace
      await keepRun(records, NOW + 50 * HOUR, SELLER_FAILS);
      expect(await activeRoles(records)).toEqual([]);
      await keepRun(records, NOW + 60 * HOUR, SELLER);
      const badges = (await records.compliance.state(AGENT))?.badges;
      expect(badges).toMatchObject([
        { revokedAt: NOW + 50 * HOUR },
        { verifiedAt: NOW + 60 * HOUR, revokedAt: null },
      ]);
      const kinds = (await records.compliance.badgeEvents(AGENT, { limit: 9 })).map(({ kind }) => kind);
      expect(kinds).toEqual(['earned', 'revoked', 'grace', 'earned']);
      const [latest, ...earlier] = await records.compliance.badgeEvents(AGENT, { limit: 9 });
      const before = latest?.id ?? 0;
      expect(await records.compliance.badgeEvents(AGENT, { limit: 9, before })).toEqual(earlier);
      expect(await records.compliance.badgeEvents(AGENT, { limit: 1, before })).toEqual(earlier.slice(0, 1));
    });

    it('revokes at once when the owner opts out, with no run', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW, SELLER);
      const change = { agent: AGENT, change: { optedOut: true }, actor: { kind: 'operator' } } as const;
      await records.owners.changeSettings(change, NOW + 1);
      expect(await records.compliance.reconsider(AGENT, decideChange({ now: NOW + 1 }), NOW + 1)).toBe(true);
      expect(await activeRoles(records)).toEqual([]);
      expect(await records.compliance.standings('', 5)).toEqual([]);
      expect(await records.compliance.state(AGENT)).toMatchObject({ due: null });
      expect(await records.compliance.reconsider('https://no.example/', decideChange({ now: 1 }), 1)).toBe(
        false,
      );
    });

    it('marks nothing when a run changes nothing that is shown', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW, SELLER);
      await clean(records);
      await keepRun(records, NOW + 1, INCONCLUSIVE);
      await keepRun(records, NOW + 2, DRY);
      expect(await dirty(records)).toEqual([]);
      expect((await records.compliance.state(AGENT))?.standing).toMatchObject({
        status: 'passing',
        lastAttempt: { outcome: 'dry_run' },
      });
    });
  });
}
