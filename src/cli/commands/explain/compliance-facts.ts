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
import type { Records } from '../../../ports/records.ts';
import type { EvidencedRun } from '../../../records/runs/compliance-runs.ts';
import type { ComplianceState } from '../../../records/runs/compliance-state.ts';
import type { KeptBadgeEvent } from '../../../records/runs/compliance-store.ts';
import type { HeldBy } from '../../../records/upkeep/named-leases.ts';
import { hasEnded } from '../../../this-process.ts';
import { type FailedStep, failedSteps } from '../../output/failed-steps.ts';
import { inconclusiveWords } from '../../output/kept-run.ts';
import { counted } from '../../output/print.ts';

/** When the next scheduled run is, epoch milliseconds or null, and the reason. */
interface NextRun {
  readonly at: number | null;
  readonly why: string;
}

/** The settings that matter here. */
export interface ComplianceSettings {
  readonly tiers: TierTable;
  readonly tester: Tester;
}

/** The tests of an agent, for the operator. */
export interface ComplianceReport {
  readonly agent: string;
  readonly state: ComplianceState;
  /** Epoch milliseconds. */
  readonly now: number;
  readonly next: NextRun;
  readonly asked?: AskedRunBody;
  /** The process that tests it now; one that has ended on this machine is left out. */
  readonly testedBy?: HeldBy;
  /** Why it cannot earn badges, if the reason is its owner's membership. */
  readonly noBadges?: string;
  readonly runs: readonly RunSummary[];
  /** The latest failing run. */
  readonly failing?: { readonly run: EvidencedRun; readonly failed: readonly FailedStep[] };
  /** The last try, if it was inconclusive. */
  readonly lastTry?: EvidencedRun;
  readonly events: readonly KeptBadgeEvent[];
}

/** Number of latest runs that are searched for a failing one. */
const LOOKED_THROUGH = 200;

/** The standing of an agent and its reason, the next run, and the failures of the latest failing run. */
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
  const asked = await records.runs.requested(agent);
  const testedBy = await testerOf(records, agent, now);
  const noBadges = membershipFault(state, tiers);
  const runs = await compliance.lastRuns(agent, { limit, includeHidden: true });
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
  return `the membership of ${member} does not include badges (tier ${tier}, subscription ${subscriptionStatus})`;
}

async function latestFailing(
  { compliance, owners }: Pick<Records, 'compliance' | 'owners'>,
  agent: string,
  tester: Tester,
): Promise<ComplianceReport['failing']> {
  const runs = await compliance.lastRuns(agent, { limit: LOOKED_THROUGH });
  const found = runs.find(
    ({ role, verdict }) =>
      role === undefined && (verdict.status === 'failing' || verdict.status === 'degraded'),
  );
  if (found === undefined) return undefined;
  const run = await compliance.evidence(agent, found.run_id);
  if (run === undefined) return undefined;
  const hasCredential = (await owners.credential(agent)) !== undefined;
  const setup = (await owners.settings(agent))?.testSetup;
  return { run, failed: failedSteps(run, agent, { hasCredential, tester, setup }) };
}

/** The reason for the time of the next run, which `nextRunAt` decided. */
function explainNextRun(
  agent: string,
  { owner, settings, standing, due }: ComplianceState,
  last: Inconclusive | undefined,
): NextRun {
  const never = (why: string): NextRun => ({ at: null, why });
  if (owner === undefined)
    return never(
      `no verified owner; to start the proof, run agent-registry agents challenge ${shellWord(agent)} --member SLUG`,
    );
  if (settings.optedOut) return never('the owner opted out of tests');
  if (settings.monitoringPaused) return never('the owner paused scheduled tests');
  const { lifecycleStage: stage, checkIntervalHours: hours } = settings;
  if (stage === 'development' || stage === 'deprecated')
    return never(`its stage is ${stage}; scheduled tests require stage testing or production`);
  if (due === null) return never('set after the next run or the next change of its settings');
  return { at: due, why: reasonOf(standing, hours, last) };
}

function reasonOf(
  { lastAttempt, away }: ComplianceState['standing'],
  hours: number,
  last: Inconclusive | undefined,
): string {
  const usual = `tested every ${hours} h`;
  if (lastAttempt === null) return `not tested yet; ${usual}`;
  const { outcome, reason, inRow } = lastAttempt;
  if (outcome === 'inconclusive' && reason !== null)
    return `the last run was inconclusive (${reason}, ${counted(inRow, 'time')} in a row): ${inconclusiveWords(last ?? { reason }).why}`;
  if (outcome !== 'unreachable' || away === null) return usual;
  return away.tries < 2
    ? 'second try, because the agent was unreachable'
    : `unreachable in ${counted(away.tries, 'try')} in a row, so it is tried less often; usually ${usual}`;
}
