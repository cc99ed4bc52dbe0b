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

/** What the records hold of an agent's compliance. */
export interface ComplianceFacts {
  readonly lifecycleStage: LifecycleStage;
  readonly optedOut: boolean;
  readonly monitoringPaused: boolean;
  readonly checkIntervalHours: number;
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

/** An agent that was never tested. */
export const NEVER_TESTED: ComplianceFacts = {
  lifecycleStage: 'production',
  optedOut: false,
  monitoringPaused: false,
  checkIntervalHours: 12,
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
