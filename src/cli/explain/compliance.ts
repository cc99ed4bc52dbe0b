import { type AskedRunBody, askedRun, type RunSummary, summary } from '../../api/render/compliance-runs.ts';

import { isApiAccessTier, type TierTable } from '../../compliance/badges/conditions.ts';
import { type Badge, isActive } from '../../domain/badge.ts';
import type { AttemptOutcome } from '../../domain/standing.ts';
import type { ComplianceState, EvidencedRun, KeptBadgeEvent, KeptRun } from '../../ports/compliance.ts';
import type { HeldBy } from '../../ports/named-leases.ts';
import type { Records } from '../../ports/records.ts';
import { hasEnded } from '../../this-process.ts';
import type { Tester } from '../output/again-command.ts';
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
  /** Somebody tests it now: a process that has not ended, as far as can be seen from here. */
  readonly testedBy?: HeldBy;
  /** Why it has no badge though somebody owns it, where that is its owner's membership. */
  readonly noBadges?: string;
  readonly runs: readonly RunSummary[];
  /** The latest run in which something failed. */
  readonly failing?: { readonly run: EvidencedRun; readonly failed: readonly FailedStep[] };
  /** The last try, where it said nothing of the agent. */
  readonly lastTry?: KeptRun;
  readonly events: readonly KeptBadgeEvent[];
}

/** What the configuration has to say to it. */
export interface Told {
  readonly tiers: TierTable;
  readonly tester: Tester;
}

/** Among so many of the latest runs one that failed is looked for. */
const LOOKED_THROUGH = 200;

/** An agent's tests: where it stands and why, what comes next, and of the latest failing run what went wrong. */
export async function explainCompliance(
  records: Pick<Records, 'compliance' | 'runs' | 'owners'>,
  agent: string,
  limit: number,
  now: number,
  { tiers, tester }: Told,
): Promise<Story | undefined> {
  const { compliance } = records;
  const state = await compliance.state(agent);
  if (state === undefined) return undefined;
  const asked = await records.runs.asked(agent);
  const testedBy = await testerOf(records, agent, now);
  const noBadges = membershipFault(state, tiers);
  const runs = await compliance.lastRuns(agent, { limit, withAsides: true });
  const failing = await latestFailing(records, agent, tester);
  const { lastAttempt } = state.standing;
  const lastTry =
    lastAttempt?.outcome === 'inconclusive' ? await compliance.run(agent, lastAttempt.runId) : undefined;
  const told: ComplianceTold = {
    ...{ agent, state, now, next: explainNextRun(agent, state) },
    ...(asked && { asked: askedRun(asked) }),
    ...(testedBy && { testedBy }),
    ...(noBadges !== undefined && { noBadges }),
    runs: runs.map((run) => summary(run, true)),
    ...(failing && { failing }),
    ...(lastTry && { lastTry }),
    events: await compliance.badgeEvents(agent, { limit }),
  };
  return { lines: complianceLines(told, limit), json: complianceJson(told, limit) };
}

/** How a try ended, as the history calls it. */
export const ATTEMPT_WORDS = {
  ...{ judged: 'complete', unreachable: 'unreachable', inconclusive: 'inconclusive' },
  ...{ dry_run: 'dry_run', partial: 'partial' },
} as const satisfies Record<AttemptOutcome, string>;

async function testerOf({ runs }: Pick<Records, 'runs'>, agent: string, now: number) {
  const held = await runs.heldBy(agent, now);
  return held !== undefined && hasEnded(held.holder) ? undefined : held;
}

function membershipFault({ owner, badges }: ComplianceState, tiers: TierTable): string | undefined {
  if (owner === undefined || badges.some(isActive) || isApiAccessTier(owner, tiers)) return undefined;
  const { member, tier = 'none', subscriptionStatus = 'none' } = owner;
  return `the membership of ${member} grants none (tier ${tier}, subscription ${subscriptionStatus})`;
}

async function latestFailing(
  { compliance, owners }: Pick<Records, 'compliance' | 'owners'>,
  agent: string,
  tester: Tester,
): Promise<ComplianceTold['failing']> {
  const runs = await compliance.lastRuns(agent, { limit: LOOKED_THROUGH });
  const found = runs.find(({ verdict }) => verdict.status === 'failing' || verdict.status === 'degraded');
  if (found === undefined) return undefined;
  const run = await compliance.evidence(agent, found.run_id);
  if (run === undefined) return undefined;
  const hasCredential = (await owners.credential(agent)) !== undefined;
  return { run, failed: failedSteps(run, agent, { hasCredential, tester }) };
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
    tested_until: time(told.testedBy?.until ?? null),
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
    no_badges: told.noBadges ?? null,
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
  return { run_id: runId, at: time(at), outcome: ATTEMPT_WORDS[outcome], reason, detail, in_row: inRow };
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
