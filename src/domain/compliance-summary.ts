import type { ComplianceFacts, ComplianceSummary } from './compliance.ts';

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
