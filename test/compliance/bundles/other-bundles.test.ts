import { describe, expect, it } from 'vitest';
import { decideBundle, decideImport, decideRun } from '../../../src/compliance/decide.ts';
import { judgeRun } from '../../../src/compliance/verdict/verdict.ts';
import { DEFAULT_SETTINGS } from '../../../src/domain/compliance.ts';
import type { JudgedRun } from '../../../src/domain/judged-run.ts';
import { NEVER_RUN } from '../../../src/domain/standing.ts';
import type { ComplianceAfter, ComplianceBefore } from '../../../src/records/runs/compliance-store.ts';
import { legacyRun } from '../../contract/compliance-fixtures.ts';
import { of } from '../support/badge-story.ts';
import { declaring, HOUR, judgedRun, run, START } from '../support/judged-runs.ts';

const UNTESTED: ComplianceBefore = {
  ...{ settings: DEFAULT_SETTINGS, standing: NEVER_RUN, badges: [], due: null, byBundle: {} },
  probes: { total: 0, healthy: 0 },
  owner: { member: 'acme', tier: 'builder', subscriptionStatus: 'active' },
};

function next(before: ComplianceBefore, after: ComplianceAfter): ComplianceBefore {
  const { standing, badges, nextRunAt: due } = after;
  return { ...before, standing, badges, due, byBundle: { ...before.byBundle, ...after.byBundle } };
}

const kept = (before: ComplianceBefore, judged: JudgedRun, at: number) =>
  next(before, decideRun(judged, { now: at })(before));

/** A run of a seller of guaranteed inventory with this bundle. */
function tested(at: number, version: string, result: 'pass' | 'fail', role?: 'line' | 'preview') {
  const agent = { ...declaring('sales-guaranteed'), supported_versions: ['3.0', '3.1'] };
  return judgeRun(run(at, { ...of({ 'sales-guaranteed': result }), agent, proto_version: version }), role);
}

function unreachable(at: number, version: string, role: 'line' | 'preview'): JudgedRun {
  const nobody = { error_class: 'timeout', message: 'no answer within 30 s' } as const;
  const nothing = { outcome: 'unreachable', unreachable: nobody, agent: null, storyboards: [] } as const;
  return judgeRun(run(at, { ...nothing, proto_version: version }), role);
}

const shown = ({ badges }: ComplianceBefore) =>
  badges.map(({ line, graceSince }) => `${line} ${graceSince === null ? 'active' : 'grace'}`);

describe('a run with the bundle of another line', () => {
  const both = () => {
    const older = kept(UNTESTED, tested(START, '3.0.26', 'pass', 'line'), START);
    return kept(older, tested(START + 1, '3.1.19', 'pass'), START + 1);
  };

  it('that does not reach the agent for the second time fails the badge of its line, and no other', () => {
    const once = kept(both(), unreachable(START + HOUR, '3.0.26', 'line'), START + HOUR);
    expect(shown(once)).toEqual(['3.0 active', '3.1 active']);
    const twice = kept(once, unreachable(START + 2 * HOUR, '3.0.26', 'line'), START + 2 * HOUR);
    expect(shown(twice)).toEqual(['3.0 grace', '3.1 active']);
    expect(twice.standing.status).toBe('passing');
    expect(twice.byBundle['3.0.26']?.status).toBe('failing');
  });

  it('is the last attempt, and changes nothing else of the status', () => {
    const before = both();
    const after = kept(before, tested(START + HOUR, '3.0.26', 'fail', 'line'), START + HOUR);
    const { lastAttempt } = after.standing;
    expect(lastAttempt).toMatchObject({ outcome: 'other_bundle', at: START + HOUR });
    expect(after.standing).toEqual({ ...before.standing, lastAttempt });
    expect(after.due).toBe(before.due);
  });
});

describe('an agent whose bundle is changed and changed back', () => {
  it('has the imported runs in both', () => {
    const switched = (before: ComplianceBefore, version: string) =>
      next(before, decideBundle(version, { now: START + 3 * HOUR })(before));
    let now = kept(UNTESTED, judgedRun(START, { proto_version: '3.0.26' }), START);
    now = kept(now, judgedRun(START + 1, { proto_version: '3.0.27' }), START + 1);
    now = switched(now, '3.0.26');
    const added = [{ ...legacyRun(START - 30 * 24 * HOUR), imported: true }];
    const history = [
      ...added,
      ...[tested(START, '3.0.26', 'pass'), tested(START + 1, '3.0.27', 'pass')].map((one) => ({
        ...one,
        ...{ started_at: one.finished_at, imported: false },
      })),
    ];
    const imported = decideImport({ now: START + 2 * HOUR })({
      ...now,
      history,
      added,
      historyPruned: false,
    });
    now = next(now, imported);
    expect(now.standing).toMatchObject({ streakDays: 30, latest: { protoVersion: '3.0.26' } });
    now = switched(switched(now, '3.0.27'), '3.0.26');
    expect(now.standing).toMatchObject({ streakDays: 30, latest: { protoVersion: '3.0.26' } });
  });
});
