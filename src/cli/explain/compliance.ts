import { type AskedRunBody, askedRun } from '../../api/render/asked-run.ts';
import { type RunSummary, summary } from '../../api/render/compliance-history.ts';
import type { Badge } from '../../domain/badge.ts';
import type { ComplianceState, EvidencedRun, KeptBadgeEvent, KeptRun } from '../../ports/compliance.ts';
import type { Records } from '../../ports/records.ts';
import { type FailedStep, failedStepJson, failedSteps } from '../output/failed-steps.ts';
import { complianceLines } from './compliance-lines.ts';
import { explainNextRun, type NextRun } from './next-run.ts';
import { instant, type Story } from './story.ts';

/** What the operator is told of an agent's tests. */
export interface ComplianceTold {
  readonly agent: string;
  readonly state: ComplianceState;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly next: NextRun;
  readonly asked?: AskedRunBody;
  readonly runs: readonly RunSummary[];
  /** The latest run in which something failed. */
  readonly failing?: { readonly run: EvidencedRun; readonly failed: readonly FailedStep[] };
  /** The last try, where it said nothing of the agent. */
  readonly lastTry?: KeptRun;
  readonly events: readonly KeptBadgeEvent[];
}

/** Among so many of the latest runs one that failed is looked for. */
const LOOKED_THROUGH = 200;

/** An agent's tests: where it stands and why, what comes next, and of the latest failing run what went wrong. */
export async function explainCompliance(
  records: Pick<Records, 'compliance' | 'runs' | 'owners'>,
  agent: string,
  limit: number,
  now: number,
): Promise<Story | undefined> {
  const { compliance } = records;
  const state = await compliance.state(agent);
  if (state === undefined) return undefined;
  const asked = await records.runs.asked(agent);
  const runs = await compliance.lastRuns(agent, { limit, withAsides: true });
  const failing = await latestFailing(records, agent);
  const { lastAttempt } = state.standing;
  const lastTry =
    lastAttempt?.outcome === 'inconclusive' ? await compliance.run(agent, lastAttempt.runId) : undefined;
  const told: ComplianceTold = {
    ...{ agent, state, now, next: explainNextRun(agent, state) },
    ...(asked && { asked: askedRun(asked) }),
    runs: runs.map((run) => summary(run, true)),
    ...(failing && { failing }),
    ...(lastTry && { lastTry }),
    events: await compliance.badgeEvents(agent, { limit }),
  };
  return { lines: complianceLines(told, limit), json: complianceJson(told, limit) };
}

async function latestFailing(
  { compliance, owners }: Pick<Records, 'compliance' | 'owners'>,
  agent: string,
): Promise<ComplianceTold['failing']> {
  const runs = await compliance.lastRuns(agent, { limit: LOOKED_THROUGH });
  const found = runs.find(({ verdict }) => verdict.status === 'failing' || verdict.status === 'degraded');
  if (found === undefined) return undefined;
  const run = await compliance.evidence(agent, found.run_id);
  if (run === undefined) return undefined;
  const hasCredential = (await owners.credential(agent)) !== undefined;
  return { run, failed: failedSteps(run, agent, hasCredential) };
}

function complianceJson(told: ComplianceTold, limit: number) {
  const { state, next, asked, runs, failing, events } = told;
  const { standing, settings, owner } = state;
  return {
    status: settings.optedOut ? 'opted_out' : standing.status,
    status_since: time(standing.statusChangedAt),
    streak_days: standing.streakDays,
    last_passed_at: time(standing.lastPassedAt),
    last_failed_at: time(standing.lastFailedAt),
    owner: owner?.member ?? null,
    next_run: { at: time(next.at), why: next.why },
    asked_run: asked ?? null,
    last_attempt: attemptJson(told),
    runs,
    latest_failing_run:
      failing === undefined
        ? null
        : {
            run_id: failing.run.run_id,
            finished_at: failing.run.finished_at,
            unreachable: failing.run.unreachable ?? null,
            failed_steps: failing.failed.slice(0, limit).map(failedStepJson),
            failed_steps_total: failing.failed.length,
          },
    badges: state.badges.map(badgeJson),
    badge_events: events.map(({ kind, role, line, at, reason, runId }) => ({
      ...{ at: time(at), kind, role, protocol_line: line, reason },
      run_id: runId,
    })),
  };
}

function attemptJson({ state, lastTry }: ComplianceTold) {
  const { lastAttempt } = state.standing;
  if (lastAttempt === null) return null;
  const { runId, at, outcome, reason, inRow } = lastAttempt;
  const detail = lastTry?.inconclusive?.detail ?? null;
  return { run_id: runId, at: time(at), outcome, reason, detail, in_row: inRow };
}

function badgeJson({ role, line, axes, specialisms, verifiedAt, graceSince, revokedAt }: Badge) {
  return {
    ...{ role, protocol_line: line, verification_modes: axes, specialisms },
    verified_at: time(verifiedAt),
    grace_since: time(graceSince),
    revoked_at: time(revokedAt),
  };
}

function time(at: number | null): string | null {
  return instant(at ?? undefined);
}
