import { describe, expect, it } from 'vitest';
import { decideImport } from '../../src/compliance/decide.ts';
import type { StepResult } from '../../src/compliance/step-result.ts';
import type { Records } from '../../src/ports/records.ts';
import type { ImportedRun } from '../../src/records/runs/compliance-store.ts';
import { DRY, FAILS, judgedRun } from '../compliance/support/judged-runs.ts';
import { AGENT, DAY, keepRun, legacyRun, owned, SELLER } from './compliance-fixtures.ts';
import { NOW, observed, type RecordsWorld } from './records-fixtures.ts';
import { probing, takeOne } from './records-steps.ts';

/** What is kept of runs, and for how long. */
export function describeComplianceHistory(world: () => RecordsWorld): void {
  describe('the history of compliance', () => {
    it('gives the history newest first, page by page, without what is aside unless asked', async () => {
      const { records } = world();
      await owned(records);
      for (const n of [0, 1, 2, 3, 4]) await keepRun(records, NOW + n, n === 2 ? DRY : {});
      const ids = async (page: Parameters<Records['compliance']['lastRuns']>[1]) =>
        (await records.compliance.lastRuns(AGENT, page)).map(({ run_id }) => run_id.slice(-1));
      expect(await ids({ limit: 9 })).toEqual(['4', '3', '1', '0']);
      expect(await ids({ limit: 9, includeHidden: true })).toEqual(['4', '3', '2', '1', '0']);
      const before = { startedAt: NOW + 3, id: `run-${NOW + 3}` };
      expect(await ids({ limit: 2, before })).toEqual(['1', '0']);
      expect(await ids({ limit: 1, before: { ...before, id: '~' } })).toEqual(['3']);
    });

    it('has the runs of other lines for everybody, those of bundles in preview aside, and no import counts either', async () => {
      const { records } = world();
      const { compliance } = records;
      await owned(records);
      const bundle = { version: '3.2.0', line: '3.2', vocabulary: 'proto', digest: 'sha256:0', aliases: [] };
      await records.bundles.add({ ...bundle, vocabulary: 'proto' }, { kind: 'operator' }, NOW);
      await keepRun(records, NOW + 1, { ...FAILS, proto_version: '3.0.0' }, { role: 'line' });
      await keepRun(records, NOW + 2, { ...FAILS, proto_version: '3.2.0' }, { role: 'preview' });
      await keepRun(records, NOW + 3, { proto_version: '3.1.2' });
      const roles = async (includeHidden: boolean) =>
        (await compliance.lastRuns(AGENT, { limit: 9, includeHidden })).map((one) => [
          one.proto_version,
          one.role,
        ]);
      expect(await roles(false)).toEqual([
        ['3.1.2', undefined],
        ['3.0.0', 'line'],
      ]);
      expect(await roles(true)).toEqual([
        ['3.1.2', undefined],
        ['3.2.0', 'preview'],
        ['3.0.0', 'line'],
      ]);
      await compliance.importRuns(AGENT, [legacyRun(NOW)], decideImport({ now: NOW + 4 }), NOW + 4);
      expect((await compliance.state(AGENT))?.standing.status).toBe('passing');
    });

    it('has what we asked of an agent, probes and runs together, and not what was recorded elsewhere', async () => {
      const { records } = world();
      await owned(records);
      const health = { online: false, error: 'it is away' };
      const steps = [{ step: 'initialize', url: AGENT, durationMs: 3, ok: false }];
      const seen = observed(AGENT, { at: NOW + 1, health, steps });
      await records.sources.commitProbe(probing(await takeOne(records, 'agent', AGENT, NOW + 1), seen));
      await keepRun(records, NOW + 3, DRY);
      const imported = [legacyRun(NOW + 2)];
      await records.compliance.importRuns(AGENT, imported, decideImport({ now: NOW + 4 }), NOW + 4);
      const asked = (since: number, limit: number) =>
        records.agents.contacts(AGENT, { since, now: NOW + DAY, limit });
      const all = await asked(0, 9);
      expect(all).toMatchObject({
        contacts: [
          { kind: 'run', id: `run-${NOW + 3}`, outcome: 'complete' },
          { kind: 'probe', at: NOW + 1, online: false, error: 'it is away', steps },
        ],
        total: 2,
      });
      expect(await asked(0, 1)).toEqual({ contacts: all.contacts.slice(0, 1), total: 2 });
      expect(await asked(NOW + 2, 9)).toEqual({ contacts: all.contacts.slice(0, 1), total: 1 });
      expect(await asked(NOW + DAY, 9)).toEqual({ contacts: [], total: 0 });
      const nobody = await records.agents.contacts('https://nobody.example/', {
        since: 0,
        now: NOW,
        limit: 9,
      });
      expect(nobody).toEqual({ contacts: [], total: 0 });
    });

    it('keeps the whole run for its owner, and without what went to and fro when that is too much', async () => {
      const { records } = world();
      await owned(records);
      const step: StepResult = {
        ...{ storyboard_id: 'core', phase_id: 'p', step_id: 's', title: 't', task: 'x' },
        ...{ result: 'fail', duration_ms: 1, checks: [] },
      };
      const evidence = (response: string) =>
        ({ task: 'x', request: {}, outcome: 'answered', response }) as const;
      await keepRun(records, NOW, { ...FAILS, steps: [{ ...step, evidence: evidence('\0 and ”') }] });
      const kept = await records.compliance.evidence(AGENT, `run-${NOW}`);
      expect(kept?.report).toMatchObject({ steps: [{ evidence: { response: '\0 and ”' } }] });
      await keepRun(records, NOW + 1, {
        ...FAILS,
        steps: [{ ...step, evidence: evidence('x'.repeat(5 << 20)) }],
      });
      const large = await records.compliance.evidence(AGENT, `run-${NOW + 1}`);
      expect(large?.report).toMatchObject({ shortened: 'evidence', steps: [{ step_id: 's' }] });
      expect(JSON.stringify(large?.report)).not.toContain('xxx');
      const many = Array.from({ length: 30_000 }, () => ({ ...step, title: 'y'.repeat(200) }));
      await keepRun(records, NOW + 2, { ...FAILS, steps: many });
      expect((await records.compliance.evidence(AGENT, `run-${NOW + 2}`))?.report).toMatchObject({
        ...{ shortened: 'steps', run_id: `run-${NOW + 2}`, steps: [] },
      });
      expect(await records.compliance.run(AGENT, `run-${NOW}`)).not.toHaveProperty('report');
      expect(await records.compliance.run('https://b.example/', `run-${NOW}`)).toBeUndefined();
    });

    it('takes runs from elsewhere once, in whatever order they come, and earns no badge by them', async () => {
      const { records } = world();
      await owned(records);
      const bring = (now: number, ...runs: readonly ImportedRun[]) =>
        records.compliance.importRuns(AGENT, runs, decideImport({ now }), now);
      const [old, late] = [legacyRun(NOW - 5 * DAY), legacyRun(NOW - 3 * DAY)];
      expect(await bring(NOW, late, late)).toEqual({ added: 1, known: 1 });
      expect(await bring(NOW + 1, old, late)).toEqual({ added: 1, known: 1 });
      expect(await bring(NOW + 2, { ...old, run_id: 'by another name' })).toEqual({ added: 0, known: 1 });
      expect(await records.compliance.state(AGENT)).toMatchObject({
        standing: { status: 'passing', streakDays: 2, latest: { requestedTarget: null, protoVersion: null } },
        badges: [],
      });
      const modern = judgedRun(NOW - DAY, SELLER);
      await bring(NOW + 3, { ...modern, started_at: modern.finished_at });
      expect(await records.compliance.state(AGENT)).toMatchObject({
        standing: { latest: { protoVersion: '3.0.0' } },
        badges: [],
      });
      expect(await records.compliance.evidence(AGENT, late.run_id)).toMatchObject({
        imported: true,
        report: null,
      });
      const log = await records.owners.auditLog({ subject: AGENT, limit: 3 });
      expect(log).toMatchObject([
        { action: 'runs.import', details: { added: 1, known: 0 } },
        { action: 'runs.import', details: { added: 1, known: 1 } },
        { action: 'runs.import', details: { added: 1, known: 1 } },
      ]);
    });

    it('forgets runs after 90 days except the one that is shown, and the steps of passing ones after 30', async () => {
      const { records } = world();
      await owned(records);
      await keepRun(records, NOW, FAILS);
      await keepRun(records, NOW + DAY, SELLER);
      await keepRun(records, NOW + 2 * DAY, SELLER);
      expect(await records.prune(NOW + 31.5 * DAY)).toMatchObject({ runs: 0, evidence: 1 });
      const reports = async () =>
        Promise.all(
          [0, 1, 2].map(async (n) => {
            const found = await records.compliance.evidence(AGENT, `run-${NOW + n * DAY}`);
            return found && found.report !== null;
          }),
        );
      expect(await reports()).toEqual([true, false, true]);
      const standing = (await records.compliance.state(AGENT))?.standing;
      expect(await records.prune(NOW + 200 * DAY)).toMatchObject({ runs: 2, evidence: 1 });
      expect(await reports()).toEqual([undefined, undefined, false]);
      expect((await records.compliance.state(AGENT))?.standing).toEqual(standing);
      // an import adds to what is left of the standing
      const now = NOW + 200 * DAY;
      await records.compliance.importRuns(AGENT, [legacyRun(NOW + 3 * DAY)], decideImport({ now }), now);
      expect((await records.compliance.state(AGENT))?.standing).toMatchObject({
        streakSince: standing?.streakSince,
        streakDays: 2,
        lastFailedAt: NOW,
      });
    });
  });
}
