import {
  type BadgeRole,
  type BadgeSettings,
  LIVE_WINDOW_MS,
  lineOf,
  type ProbeHistory,
  roleOf,
} from '../../domain/badge.ts';
import type { JudgedRun, Verdict } from '../../domain/judged-run.ts';
import { type Standing, testedHere, whyClosed } from '../../domain/standing.ts';

/**
 * What a run says of a role. `silent`: nothing against it, and not enough for it, since our bundle has no storyboard
 * for a declared specialism or the run was of another protocol line.
 */
type RoleResult =
  | { readonly result: 'pass'; readonly specialisms: readonly string[] }
  | { readonly result: 'fail'; readonly why: string }
  | { readonly result: 'silent' };

const DAY = 86_400_000;

/** In hundredths, of the probes in the window. */
const HEALTHY_PERCENT = 95;

/** The longest interval between runs, and a day for the run to come: an older one says nothing of now. */
const LATEST_RUN_MS = 8 * DAY;

interface LiveFacts {
  readonly standing: Standing;
  readonly settings: BadgeSettings;
  readonly probes: ProbeHistory;
  readonly now: number;
}

/** A membership tier: what it is called, and whether agents of its members can earn badges. */
interface Tier {
  readonly label: string;
  readonly apiAccess: boolean;
}

/** Which memberships grant badges; an operator's own comes from REGISTRY_TIERS. */
export interface TierTable {
  readonly tiers: Readonly<Record<string, Tier>>;
  /** Of subscriptions: those that grant what the tier does. */
  readonly subscriptions: readonly string[];
}

/** The tiers where the configuration names no others (docs/reference/badges.md). */
export const DEFAULT_TIERS: TierTable = {
  tiers: {
    explorer: { label: 'Explorer', apiAccess: false },
    professional: { label: 'Professional', apiAccess: true },
    builder: { label: 'Builder', apiAccess: true },
    partner: { label: 'Partner', apiAccess: true },
    leader: { label: 'Leader', apiAccess: true },
  },
  subscriptions: ['active', 'past_due', 'trialing'],
};

/** What the member that owns an agent has; absent members are not known. */
export interface MemberStanding {
  readonly tier?: string;
  readonly subscriptionStatus?: string;
}

/** The wire's `is_api_access_tier`: tier and subscription together grant badges. False without an owner. */
export function isApiAccessTier(
  member: MemberStanding | undefined,
  table: TierTable = DEFAULT_TIERS,
): boolean {
  const { tier, subscriptionStatus } = member ?? {};
  if (tier === undefined || subscriptionStatus === undefined) return false;
  return tierOf(tier, table)?.apiAccess === true && table.subscriptions.includes(subscriptionStatus);
}

/** The tier's label in the table; undefined for a tier that is not in it. */
export function tierLabel(tier: string | undefined, table: TierTable = DEFAULT_TIERS): string | undefined {
  return tier === undefined ? undefined : tierOf(tier, table)?.label;
}

/**
 * Why a member's agents earn no badge, as the end of a sentence; undefined when they can. Timelines are public, so it is
 * the same for a tier, a subscription and an owner that are not there: those are the owner's business (specification, 2.5).
 */
export function whyNoBadges(
  member: MemberStanding | undefined,
  table: TierTable = DEFAULT_TIERS,
): string | undefined {
  return isApiAccessTier(member, table) ? undefined : 'the owner has no membership that grants badges';
}

function tierOf(tier: string, { tiers }: TierTable): Tier | undefined {
  return Object.hasOwn(tiers, tier) ? tiers[tier] : undefined;
}

/**
 * Why the `live` axis is not covered, as the end of a sentence; undefined when it is. It says what is so now, so grace
 * does not keep it: production, healthy in at least 95 % of the probes of 7 days, and passing for those 7 days. Runs that
 * were recorded elsewhere may make the streak longer, and nothing here: the 7 days are ones that this registry tested.
 */
export function whyNotLive({ standing, settings, probes, now }: LiveFacts): string | undefined {
  if (settings.lifecycleStage !== 'production') return `the lifecycle stage is ${settings.lifecycleStage}`;
  if (standing.status !== 'passing' || standing.streakSince === null)
    return `the status is ${standing.status}`;
  if (now - standing.streakSince < LIVE_WINDOW_MS) return 'the agent has not been passing for 7 days';
  const seen = testedHere(standing);
  if (seen === null || now - seen.first < LIVE_WINDOW_MS)
    return 'the agent has not been passing for 7 days in tests of this registry';
  if (now - seen.latest > LATEST_RUN_MS) return 'the agent was not tested in the last 8 days';
  if (probes.total === 0) return 'the agent was not probed in the last 7 days';
  if (probes.healthy * 100 < probes.total * HEALTHY_PERCENT)
    return `${probes.healthy} of ${probes.total} probes of the last 7 days succeeded, fewer than ${HEALTHY_PERCENT}%`;
  return whyClosed(standing);
}

/**
 * Judges one role of one protocol line by a run that counts. An agent that cannot be tested, or does not say what it
 * declares, fails every line, or that of the run if only badges follow from it; a specialism whose storyboard could not run fails too, or a badge could be kept by
 * taking away what it is tested with.
 */
export function judgeRole(run: JudgedRun, role: BadgeRole, line: string): RoleResult {
  const { verdict } = run;
  const isOfLine = lineOf(run.proto_version) === line;
  if (run.role === 'line' && !isOfLine) return { result: 'silent' };
  if (run.outcome === 'unreachable') return { result: 'fail', why: 'the agent could not be tested' };
  if (!verdict.declaration_read)
    return { result: 'fail', why: 'the capabilities of the agent could not be read' };
  const declared = declaredFor(verdict, role);
  if (declared.length === 0 || !isOfLine) return { result: 'silent' };
  const failed = declared.filter((specialism) => fails(verdict, specialism));
  if (failed.length > 0) return { result: 'fail', why: notPassing(verdict, failed) };
  const passed = declared.filter((specialism) => statusOf(verdict, specialism) === 'pass');
  return passed.length === declared.length ? { result: 'pass', specialisms: declared } : { result: 'silent' };
}

/** The declared specialisms that belong to a role, sorted. */
function declaredFor({ declared_specialisms }: Verdict, role: BadgeRole): readonly string[] {
  return declared_specialisms.filter((specialism) => roleOf(specialism) === role).sort();
}

function fails(verdict: Verdict, specialism: string): boolean {
  return statusOf(verdict, specialism) !== 'pass' && !verdict.without_storyboard.includes(specialism);
}

function statusOf({ specialism_status }: Verdict, specialism: string): string | undefined {
  return Object.hasOwn(specialism_status, specialism) ? specialism_status[specialism] : undefined;
}

/** The end of a sentence. */
function notPassing(verdict: Verdict, specialisms: readonly string[]): string {
  const untested = specialisms.filter((specialism) => statusOf(verdict, specialism) !== 'fail');
  const failed = specialisms.filter((specialism) => !untested.includes(specialism));
  const told = [
    ...(failed.length > 0 ? [`${failed.join(', ')} ${failed.length === 1 ? 'does' : 'do'} not pass`] : []),
    ...(untested.length > 0 ? [`${untested.join(', ')} could not be tested completely`] : []),
  ];
  return told.join(', and ');
}
