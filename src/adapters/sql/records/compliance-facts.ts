import {
  type ActiveBadge,
  type ComplianceFacts,
  NEVER_TESTED,
  type TrackDetail,
} from '../../../domain/compliance.ts';
import type { SqliteDatabase } from '../database.ts';
import { type Place, prepare, sql } from '../prepared.ts';
import { present } from './present.ts';

/** What is known of an agent's compliance: its settings, its latest complete run, its active badges. */
export function createComplianceReader(database: SqliteDatabase): (agent: string) => ComplianceFacts {
  const selectSettings = prepare(database, settings);
  const selectRun = prepare(database, latestRun);
  const selectBadges = prepare(database, activeBadges);

  const tested = (agent: string): Partial<ComplianceFacts> => {
    const run = selectRun.get({ agent });
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
  };
  const chosen = (agent: string): Partial<ComplianceFacts> => {
    const row = selectSettings.get({ agent });
    if (row === undefined) return {};
    return {
      lifecycleStage: row.lifecycle_stage,
      optedOut: row.opted_out === 1,
      monitoringPaused: row.monitoring_paused === 1,
      checkIntervalHours: row.check_interval_hours,
    };
  };
  const badges = (agent: string): readonly ActiveBadge[] =>
    selectBadges
      .all({ agent })
      .map((row) => ({ role: row.role, axes: JSON.parse(row.axes) as ActiveBadge['axes'] }));

  return (agent) => ({ ...NEVER_TESTED, ...tested(agent), ...chosen(agent), badges: badges(agent) });
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
