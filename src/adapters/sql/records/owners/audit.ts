import type { Insertable } from 'kysely';
import type { Actor, AuditEntry, OwnerAccess, OwnerStore } from '../../../../ports/owners.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { all, type Param, prepare, run, sql } from '../../statements.ts';
import { createAgentLock } from './proven-owner.ts';

/** Notes who did what to what, in the transaction of the deed. Rows are never changed or deleted. */
function* audit(store: SqlStore, entry: Insertable<Tables['audit']>): SqlTask<void> {
  yield* run(store, sql.insertInto('audit').values(entry));
}

export const OPERATOR = { kind: 'operator' } as const satisfies Actor;

interface Deed {
  readonly at: number;
  readonly actor: Actor;
  readonly action: string;
  readonly subject: string;
  readonly details?: object;
}

/** The same of an actor; the member that it stands for is in the details. */
export function auditDeed(store: SqlStore, { actor, details = {}, ...deed }: Deed): SqlTask<void> {
  const member = memberOfActor(actor);
  return audit(store, {
    ...deed,
    actor: nameOf(actor),
    details: JSON.stringify({ ...(member !== undefined && { member }), ...details }),
  });
}

/** The member that an actor stands for, if any. */
export function memberOfActor(actor: Actor): string | undefined {
  return actor.kind === 'signature' ? undefined : actor.member;
}

function nameOf(actor: Actor): string {
  if (actor.kind === 'operator') return 'operator';
  return actor.kind === 'key' ? actor.keyId : `signature:${actor.keyId}`;
}

/** Reads the log, newest first. */
export function createAuditLog(store: SqlStore): Pick<OwnerStore, 'auditLog'> {
  return {
    async auditLog({ subject, before, limit }) {
      const newest = sql.selectFrom('audit').selectAll().orderBy('id', 'desc').limit(limit);
      const about = subject === undefined ? newest : newest.where('subject', '=', subject);
      const page = before === undefined ? about : about.where('id', '<', before);
      const rows = await store.read(() => all(store, page));
      return rows.map((row): AuditEntry => ({ ...row, details: JSON.parse(row.details) }));
    },
  };
}

const HOUR_MS = 3_600_000;
const ACTION = 'runs.read';
/** How far back in an agent's log the same access is searched for: the log has no end, and nobody reads so often in an hour. */
const NEWEST_ENTRIES = 1_000;

interface Same {
  readonly agent: string;
  readonly actor: string;
  readonly details: string;
  readonly since: number;
  readonly now: number;
}

/** Which owners have read the runs of their agents. */
export function createAccessLog(store: SqlStore): Pick<OwnerStore, 'noteAccess'> {
  const lockAgent = createAgentLock(store);
  const selectSame = prepare(store, sameAccess);

  function* note({ agent, keyId: actor, member, runId }: OwnerAccess, now: number): SqlTask<void> {
    yield* lockAgent(agent); // or two processes write down the same
    const details = JSON.stringify({ member, ...(runId !== undefined && { run_id: runId }) });
    const same = yield* selectSame.first({ agent, actor, details, since: now - HOUR_MS, now });
    if (same === undefined) yield* audit(store, { at: now, actor, action: ACTION, subject: agent, details });
  }
  return { noteAccess: (access, now) => store.transaction(() => note(access, now)) };
}

/** One that lies ahead is of a clock that has been put back. */
function sameAccess(param: Param<Same>) {
  const newest = sql
    .selectFrom('audit')
    .selectAll()
    .where('subject', '=', param('agent'))
    .orderBy('id', 'desc')
    .limit(NEWEST_ENTRIES);
  return sql
    .selectFrom(newest.as('newest'))
    .select('id')
    .where('action', '=', ACTION)
    .where('actor', '=', param('actor'))
    .where('details', '=', param('details'))
    .where('at', '>', param('since'))
    .where('at', '<=', param('now'))
    .limit(1);
}
