import { present } from '../base/json.ts';

/** Compliance words (specification, 2.3 and 3). The tables behind them are filled by the compliance runner. */
export const COMPLIANCE_STATUSES = ['passing', 'degraded', 'failing', 'unknown', 'opted_out'] as const;

export type ComplianceStatus = (typeof COMPLIANCE_STATUSES)[number];

export const LIFECYCLE_STAGES = ['development', 'testing', 'production', 'deprecated'] as const;

export type LifecycleStage = (typeof LIFECYCLE_STAGES)[number];

export const VERIFICATION_AXES = ['spec', 'live'] as const;

export type VerificationAxis = (typeof VERIFICATION_AXES)[number];

export interface TrackDetail {
  readonly track: string;
  readonly status: string;
  readonly scenario_count: number;
  readonly passed_count: number;
  readonly duration_ms: number;
  readonly has_coverage_gap_skip: boolean;
}

/** An active badge, in grace or not. */
export interface ActiveBadge {
  readonly role: string;
  readonly axes: readonly VerificationAxis[];
}

/** What an owner decides about the tests of an agent. */
export interface AgentSettings {
  readonly optedOut: boolean;
  readonly monitoringPaused: boolean;
  /** Between two tests, whole hours. */
  readonly checkIntervalHours: number;
  readonly lifecycleStage: LifecycleStage;
  /** The version or label to test the agent with (`3.1`, `stable`); absent: by the versions that the agent declares. */
  readonly complianceTarget?: string;
  /** As whom the agent is tested; absent: as the registry's own buyer. */
  readonly testSetup?: AgentTestSetup;
}

/**
 * The buyer that an agent knows, in the place of the registry's own; the names are those of the wire. Tests of this agent
 * use it, and no others.
 */
export interface AgentTestSetup {
  /** Domain of the operator. */
  readonly operator?: string;
  readonly brand?: { readonly domain: string };
  /** The agent's own id of the account. */
  readonly account?: { readonly account_id: string };
}

/** A version, or a label that stands for one: `3.1`, `3.0.26`, `stable`. */
export const TARGET_FORM = /^[A-Za-z0-9][A-Za-z0-9.-]{0,63}$/;

/** One that a seller may give: printable, without spaces at its ends. */
export const ACCOUNT_ID_FORM = /^[!-~](?:[ -~]{0,253}[!-~])?$/;

/** What the records hold of an agent's compliance. */
export interface ComplianceFacts extends AgentSettings {
  readonly status: ComplianceStatus;
  readonly tracks: Readonly<Record<string, string>>;
  readonly trackDetails: readonly TrackDetail[];
  readonly streakDays: number;
  readonly lastCheckedAt?: string;
  readonly headline?: string;
  readonly requestedComplianceTarget?: string;
  readonly protoVersion?: string;
  readonly badges: readonly ActiveBadge[];
}

/** The stages in which an agent is tested by the clock (docs/operating/heartbeat.md). */
export const MONITORED_STAGES: readonly LifecycleStage[] = ['testing', 'production'];

/** True for agents that the heartbeat tests at all. */
export function isMonitored({ optedOut, monitoringPaused, lifecycleStage }: MonitoringSettings): boolean {
  return !optedOut && !monitoringPaused && MONITORED_STAGES.includes(lifecycleStage);
}

type MonitoringSettings = Pick<AgentSettings, 'optedOut' | 'monitoringPaused' | 'lifecycleStage'>;

/** What is absent stays; null clears what can be absent, also inside `testSetup` (RFC 7396). */
export type SettingsChange = Partial<Omit<AgentSettings, 'complianceTarget' | 'testSetup'>> & {
  readonly complianceTarget?: string | null;
  readonly testSetup?: Clearable<AgentTestSetup> | null;
};

type Clearable<T> = { readonly [Name in keyof T]: T[Name] | null };

/** Shortest and longest interval between tests, hours. */
export const INTERVAL_HOURS = { min: 6, max: 168 } as const;

/** Of an agent whose owner has decided nothing. */
export const DEFAULT_SETTINGS: AgentSettings = {
  lifecycleStage: 'production',
  optedOut: false,
  monitoringPaused: false,
  checkIntervalHours: 12,
};

/** Only the settings that a change really changes, each with its new value, or null where it was cleared. */
export function effectiveChange(before: AgentSettings, change: SettingsChange): SettingsChange {
  const merged = change.testSetup && mergedSetup(before.testSetup, change.testSetup);
  const wanted = { ...change, ...(merged !== undefined && { testSetup: merged }) };
  const names = Object.keys(wanted) as (keyof AgentSettings)[];
  const changed = names.filter(
    (name) =>
      wanted[name] !== undefined && JSON.stringify(wanted[name]) !== JSON.stringify(before[name] ?? null),
  );
  return Object.fromEntries(changed.map((name) => [name, wanted[name]]));
}

/** Settings after an effective change. */
export function settingsAfter(before: AgentSettings, effective: SettingsChange): AgentSettings {
  const { complianceTarget, testSetup, ...rest } = { ...before, ...effective };
  return { ...rest, ...present({ complianceTarget, testSetup }) } as AgentSettings;
}

/** In one order of members, so that the same setup is the same text; null for one without any. */
function mergedSetup(before: AgentTestSetup = {}, change: Clearable<AgentTestSetup>): AgentTestSetup | null {
  const { operator, brand, account } = { ...before, ...change };
  const merged = present({ operator, brand, account });
  return Object.keys(merged).length === 0 ? null : merged;
}

/** An agent that was never tested. */
export const NEVER_TESTED: ComplianceFacts = {
  ...DEFAULT_SETTINGS,
  status: 'unknown',
  tracks: {},
  trackDetails: [],
  streakDays: 0,
  badges: [],
};

/** The wire's `compliance` in an agent record (specification, 2.3, with status and lifecycle_stage). */
export type ComplianceSummary =
  | { readonly status: 'opted_out'; readonly lifecycle_stage: LifecycleStage }
  | {
      readonly status: Exclude<ComplianceStatus, 'opted_out'>;
      readonly lifecycle_stage: LifecycleStage;
      readonly tracks: Readonly<Record<string, string>>;
      readonly streak_days: number;
      readonly last_checked_at: string | null;
      readonly headline: string | null;
      readonly requested_compliance_target: string | null;
      readonly proto_version: string | null;
      readonly track_details: readonly TrackDetail[];
      readonly monitoring_paused: boolean;
      readonly check_interval_hours: number;
      readonly verified: boolean;
      readonly verified_roles: readonly string[];
    };

/**
 * The wire's `compliance` of an agent record (specification, 2.3). Never tested: every key, with `unknown`, {},
 * [], 0, false or null. Opted out: the status and the lifecycle stage, and nothing more.
 */
export function summariseCompliance(facts: ComplianceFacts): ComplianceSummary {
  if (facts.optedOut) return { status: 'opted_out', lifecycle_stage: facts.lifecycleStage };
  return {
    status: facts.status === 'opted_out' ? 'unknown' : facts.status,
    lifecycle_stage: facts.lifecycleStage,
    tracks: facts.tracks,
    streak_days: facts.streakDays,
    last_checked_at: facts.lastCheckedAt ?? null,
    headline: facts.headline ?? null,
    requested_compliance_target: facts.requestedComplianceTarget ?? null,
    proto_version: facts.protoVersion ?? null,
    track_details: facts.trackDetails,
    monitoring_paused: facts.monitoringPaused,
    check_interval_hours: facts.checkIntervalHours,
    verified: facts.badges.length > 0,
    verified_roles: [...new Set(facts.badges.map((badge) => badge.role))].sort(),
  };
}
