import type {
  ComplianceFacts,
  ComplianceStatus,
  LifecycleStage,
  TrackDetail,
} from '../../domain/compliance.ts';

/** The answer of the compliance operation (specification, 2.5; its keys and their order are the same for all). */
export type ComplianceDetail = OptedOutDetail | MonitoredDetail;

/** The short form of an agent that opted out (specification, 2.8), the same for its owner. */
export interface OptedOutDetail {
  readonly agent_url: string;
  readonly status: 'opted_out';
  readonly compliance_opt_out: true;
  readonly lifecycle_stage: LifecycleStage;
}

export interface MonitoredDetail {
  readonly agent_url: string;
  readonly status: Exclude<ComplianceStatus, 'opted_out'>;
  readonly lifecycle_stage: LifecycleStage;
  readonly requested_compliance_target: string | null;
  readonly proto_version: string | null;
  readonly compliance_opt_out: false;
  readonly tracks: Readonly<Record<string, string>>;
  readonly track_details: readonly TrackDetail[];
  readonly streak_days: number;
  readonly last_checked_at: string | null;
  readonly last_passed_at: string | null;
  readonly last_failed_at: string | null;
  readonly status_changed_at: string | null;
  readonly headline: string | null;
  readonly storyboards_passing: number;
  readonly storyboards_total: number;
  readonly check_interval_hours: number;
  readonly declared_specialisms: readonly string[];
  readonly specialism_status: Readonly<Record<string, 'pass' | 'fail' | 'untested'>>;
  readonly storyboard_statuses: readonly object[];
  readonly notices: readonly unknown[];
  readonly observations: readonly object[];
  readonly membership_tier: string | null;
  readonly membership_tier_label: string | null;
  readonly subscription_status: string | null;
  readonly is_api_access_tier: boolean;
  readonly triggered_by: 'heartbeat' | 'owner_test' | 'manual' | 'webhook' | null;
  readonly verified: boolean;
  readonly verified_badges: readonly object[];
}

/**
 * What the records hold of an agent's compliance, as the public sees it. Owner-scoped members are null, false
 * or empty: the shape must not tell who owns the agent (specification, 2.5).
 */
export function complianceDetail(agentUrl: string, facts: ComplianceFacts): ComplianceDetail {
  if (facts.optedOut) return optedOut(agentUrl, facts.lifecycleStage);
  return {
    agent_url: agentUrl,
    status: facts.status === 'opted_out' ? 'unknown' : facts.status,
    lifecycle_stage: facts.lifecycleStage,
    requested_compliance_target: facts.requestedComplianceTarget ?? null,
    proto_version: facts.protoVersion ?? null,
    compliance_opt_out: false,
    tracks: facts.tracks,
    track_details: facts.trackDetails,
    streak_days: facts.streakDays,
    last_checked_at: facts.lastCheckedAt ?? null,
    last_passed_at: null,
    last_failed_at: null,
    status_changed_at: null,
    headline: facts.headline ?? null,
    storyboards_passing: 0,
    storyboards_total: 0,
    check_interval_hours: facts.checkIntervalHours,
    declared_specialisms: [],
    specialism_status: {},
    storyboard_statuses: [],
    notices: [],
    observations: [],
    ...OWNER_SCOPED_FOR_OTHERS,
    verified: facts.badges.length > 0,
    verified_badges: [],
  };
}

const OWNER_SCOPED_FOR_OTHERS = {
  membership_tier: null,
  membership_tier_label: null,
  subscription_status: null,
  is_api_access_tier: false,
  triggered_by: null,
} as const;

function optedOut(agentUrl: string, lifecycleStage: LifecycleStage): OptedOutDetail {
  return {
    agent_url: agentUrl,
    status: 'opted_out',
    compliance_opt_out: true,
    lifecycle_stage: lifecycleStage,
  };
}
