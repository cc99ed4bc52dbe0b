import type { Tester } from '../../../api/render/check-options.ts';
import {
  type AskedRunBody,
  askedRun,
  type RunSummary,
  summary,
} from '../../../api/render/compliance-runs.ts';
import { isApiAccessTier, type TierTable } from '../../../compliance/badges/conditions.ts';
import { isActive } from '../../../domain/badge.ts';
import type { Inconclusive } from '../../../domain/judged-run.ts';
import { shellWord } from '../../../domain/shell-word.ts';
import type { ComplianceState, EvidencedRun, KeptBadgeEvent } from '../../../ports/compliance.ts';
import type { HeldBy } from '../../../ports/named-leases.ts';
import type { Records } from '../../../ports/records.ts';
import { hasEnded } from '../../../this-process.ts';
import { type FailedStep, failedSteps } from '../../output/failed-steps.ts';
import { inconclusiveWords } from '../../output/kept-run.ts';
import { counted } from '../../output/print.ts';

/** When the heartbeat comes, epoch milliseconds or null, and why then, or why never. */
interface NextRun {
  readonly at: number | null;
  readonly why: string;
}

/** What the configuration has to say to it. */
export interface ComplianceSettings {
  readonly tiers: TierTable;
  readonly tester: Tester;
}

/** What the operator is told of an agent's tests. */
export interface ComplianceReport {
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
  readonly lastTry?: EvidencedRun;
  readonly events: readonly KeptBadgeEvent[];
}

/** Among so many of the latest runs one that failed is looked for. */
const LOOKED_THROUGH = 200;

/** Where an agent stands and why, what comes next, and of the latest failing run what went wrong. */
export async function readComplianceFacts(
  records: Pick<Records, 'compliance' | 'runs' | 'owners'>,
  agent: string,
  limit: number,
  now: number,
  { tiers, tester }: ComplianceSettings,
): Promise<ComplianceReport | undefined> {
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
    lastAttempt?.outcome === 'inconclusive' ? await compliance.evidence(agent, lastAttempt.runId) : undefined;
  return {
    ...{ agent, state, now, next: explainNextRun(agent, state, lastTry?.inconclusive) },
    ...(asked && { asked: askedRun(asked) }),
    ...(testedBy && { testedBy }),
    ...(noBadges !== undefined && { noBadges }),
    runs: runs.map((run) => summary(run, true)),
    ...(failing && { failing }),
    ...(lastTry && { lastTry }),
    events: await compliance.badgeEvents(agent, { limit }),
  };
}

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
): Promise<ComplianceReport['failing']> {
  const runs = await compliance.lastRuns(agent, { limit: LOOKED_THROUGH });
  const found = runs.find(({ verdict }) => verdict.status === 'failing' || verdict.status === 'degraded');
  if (found === undefined) return undefined;
  const run = await compliance.evidence(agent, found.run_id);
  if (run === undefined) return undefined;
  const hasCredential = (await owners.credential(agent)) !== undefined;
  return { run, failed: failedSteps(run, agent, { hasCredential, tester }) };
}

/** Why an agent is tested when it is; the decision itself is `nextRunAt`'s, and was made when the last thing happened to it. */
function explainNextRun(
  agent: string,
  { owner, settings, standing, due }: ComplianceState,
  last: Inconclusive | undefined,
): NextRun {
  const never = (why: string): NextRun => ({ at: null, why });
  if (owner === undefined)
    return never(
      `nobody has proven to own it (agent-registry agents challenge ${shellWord(agent)} --member SLUG begins the proof)`,
    );
  if (settings.optedOut) return never('its owner has opted out of tests');
  if (settings.monitoringPaused) return never('its owner has paused tests, except those on request');
  const { lifecycleStage: stage, checkIntervalHours: hours } = settings;
  if (stage === 'development' || stage === 'deprecated')
    return never(`its stage is ${stage}; scheduled tests are for testing and production`);
  if (due === null) return never('it is decided with the next run, or the next change of its settings');
  return { at: due, why: reasonOf(standing, hours, last) };
}

function reasonOf(
  { lastAttempt, away }: ComplianceState['standing'],
  hours: number,
  last: Inconclusive | undefined,
): string {
  const usual = `tested every ${hours} h`;
  if (lastAttempt === null) return `never tested yet; ${usual}`;
  const { outcome, reason, inRow } = lastAttempt;
  if (outcome === 'inconclusive' && reason !== null)
    return `the last run was inconclusive (${reason}, ${counted(inRow, 'time')} in a row): ${inconclusiveWords(last ?? { reason }).why}`;
  if (outcome !== 'unreachable' || away === null) return usual;
  return away.tries < 2
    ? 'a second look, as the last try reached nobody'
    : `${counted(away.tries, 'try')} in a row reached nobody, so it is tried more rarely; ${usual} otherwise`;
}
