import {
  type ActiveBadge,
  type ComplianceFacts,
  NEVER_TESTED,
  type TrackDetail,
} from '../../../domain/compliance.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import type { SqlStore } from '../sql-store.ts';
import type { Work } from '../work.ts';
import { present } from './present.ts';

/** What is known of an agent's compliance: its settings, its latest complete run, its active badges. */
export function createComplianceReader(store: SqlStore): (agent: string) => Work<ComplianceFacts> {
  const selectSettings = prepare(store, settings);
  const selectRun = prepare(store, latestRun);
  const selectBadges = prepare(store, activeBadges);

  function* tested(agent: string): Work<Partial<ComplianceFacts>> {
    const run = yield* selectRun.get({ agent });
    if (run === undefined) return {};
    return {
      tracks: JSON.parse(run.tracks) as ComplianceFacts['tracks'],
      trackDetails: JSON.parse(run.track_details) as TrackDetail[],
      streakDays: run.streak_days,
      ...present({
        status: run.status,
        lastCheckedAt: run.finished_at === null ? null : new Date(run.finished_at).toISOString(),
        headline: run.headline,
        requestedComplianceTarget: run.requested_compliance_target,
        protoVersion: run.proto_version,
      }),
    };
  }
  function* chosen(agent: string): Work<Partial<ComplianceFacts>> {
    const row = yield* selectSettings.get({ agent });
    if (row === undefined) return {};
    return {
      lifecycleStage: row.lifecycle_stage,
      optedOut: row.opted_out === 1,
      monitoringPaused: row.monitoring_paused === 1,
      checkIntervalHours: row.check_interval_hours,
    };
  }
  function* badges(agent: string): Work<readonly ActiveBadge[]> {
    const rows = yield* selectBadges.all({ agent });
    return rows.map((row) => ({ role: row.role, axes: JSON.parse(row.axes) as ActiveBadge['axes'] }));
  }
  return function* (agent) {
    const facts = { ...NEVER_TESTED, ...(yield* tested(agent)), ...(yield* chosen(agent)) };
    return { ...facts, badges: yield* badges(agent) };
  };
}

function settings(place: Place<{ agent: string }>) {
  return sql.selectFrom('agent_settings').selectAll().where('agent', '=', place('agent'));
}

function latestRun(place: Place<{ agent: string }>) {
  return sql
    .selectFrom('compliance_run')
    .selectAll()
    .where('agent', '=', place('agent'))
    .where('state', '=', 'complete')
    .where('dry_run', '=', 0)
    .orderBy('finished_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1);
}

function activeBadges(place: Place<{ agent: string }>) {
  return sql
    .selectFrom('badge')
    .select(['role', 'axes'])
    .where('agent', '=', place('agent'))
    .where('revoked_at', 'is', null)
    .orderBy('role')
    .orderBy('id');
}
