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
}

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

export type SettingsChange = Partial<AgentSettings>;

/** Shortest and longest interval between tests, hours. */
export const INTERVAL_HOURS = { min: 6, max: 168 } as const;

/** Of an agent whose owner has decided nothing. */
export const DEFAULT_SETTINGS: AgentSettings = {
  lifecycleStage: 'production',
  optedOut: false,
  monitoringPaused: false,
  checkIntervalHours: 12,
};

/** Only what a change really changes; empty when nothing. */
export function effectiveChange(before: AgentSettings, change: SettingsChange): SettingsChange {
  const names = Object.keys(change) as (keyof AgentSettings)[];
  const changed = names.filter((name) => change[name] !== undefined && change[name] !== before[name]);
  return Object.fromEntries(changed.map((name) => [name, change[name]]));
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
