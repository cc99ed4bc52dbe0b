import { present } from '../../../../base/json.ts';
import type { Badge, BadgeEvent } from '../../../../domain/badge.ts';
import type { ComplianceAfter, ComplianceState } from '../../../../ports/compliance.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { run, sql } from '../../statements.ts';
import { markOneDirty } from '../agents/stitched-documents.ts';
import { writeAuditEntry } from '../owners/audit.ts';
import { keepDecided } from './run-clock.ts';

/** Writes what was decided of an agent, inside the caller's transaction; its document is due when it shows any of it. */
export function* writeDecision(
  store: SqlStore,
  agent: string,
  before: ComplianceState,
  after: ComplianceAfter,
  now: number,
): SqlTask<void> {
  yield* writeStanding(store, agent, after);
  const isOwned = before.owner !== undefined;
  yield* keepDecided(store, agent, { nextRunAt: after.nextRunAt, isOwned }, now);
  const changed = after.badges.flatMap((badge, place) =>
    isSame(badge, before.badges[place]) ? [] : [{ badge, place }],
  );
  for (const { badge, place } of changed) yield* writeBadge(store, agent, badge, place);
  for (const event of after.events) yield* writeEvent(store, agent, event);
  if (!isSame(shown(before), shown(after))) yield* markOneDirty(store, agent, now);
  for (const event of after.events) yield* auditEvent(store, agent, event, now);
}

function* writeStanding(store: SqlStore, agent: string, { standing }: ComplianceAfter): SqlTask<void> {
  const row = {
    standing: JSON.stringify(standing),
    latest_run: standing.latest?.runId ?? null,
  };
  const put = sql.insertInto('compliance_standing').values({ agent, ...row, forgotten: 0 });
  yield* run(
    store,
    put.onConflict((same) => same.column('agent').doUpdateSet(row)),
  );
}

function* writeBadge(store: SqlStore, agent: string, badge: Badge, place: number): SqlTask<void> {
  const row = {
    role: badge.role,
    protocol_line: badge.line,
    axes: JSON.stringify(badge.axes),
    specialisms: JSON.stringify(badge.specialisms),
    proto_version: badge.protoVersion,
    verified_at: badge.verifiedAt,
    grace_since: badge.graceSince,
    revoked_at: badge.revokedAt,
  };
  const put = sql.insertInto('badge').values({ agent, place, ...row });
  yield* run(
    store,
    put.onConflict((same) => same.columns(['agent', 'place']).doUpdateSet(row)),
  );
}

function* writeEvent(store: SqlStore, agent: string, event: BadgeEvent): SqlTask<void> {
  const { kind, role, line, at, reason, runId } = event;
  const row = { agent, at, kind, role, protocol_line: line, reason, run: runId };
  yield* run(store, sql.insertInto('badge_event').values(row));
}

/** The same in the audit log, whose records cannot be written again. */
function* auditEvent(store: SqlStore, agent: string, event: BadgeEvent, now: number): SqlTask<void> {
  const { kind, role, line, reason, runId: run_id } = event;
  const details = JSON.stringify({ role, line, reason, ...present({ run_id }) });
  const deed = { at: now, actor: 'registry', action: `badge.${kind}`, subject: agent };
  yield* writeAuditEntry(store, { ...deed, details });
}

/** What a document holds of it. */
function shown({ standing, badges }: Pick<ComplianceState, 'standing' | 'badges'>) {
  const { status, streakDays, latest } = standing;
  return { status, streakDays, latest, badges };
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
