import type { OwnerAccess, OwnerStore } from '../../ports/owners.ts';
import type { SqlStore, SqlTask } from '../sql-tasks.ts';
import { type Param, prepare, sql } from '../statements.ts';
import { writeAuditEntry } from './audit.ts';
import { createAgentLock } from './proven-owner.ts';

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

/** Which owners have read the runs of their agents: in the audit log, the same access once an hour. */
export function createAccessLog(store: SqlStore): Pick<OwnerStore, 'noteAccess'> {
  const lockAgent = createAgentLock(store);
  const selectSame = prepare(store, sameAccess);

  function* note({ agent, keyId: actor, member, runId }: OwnerAccess, now: number): SqlTask<void> {
    yield* lockAgent(agent); // or two processes write down the same
    const details = JSON.stringify({ member, ...(runId !== undefined && { run_id: runId }) });
    const same = yield* selectSame.first({ agent, actor, details, since: now - HOUR_MS, now });
    if (same === undefined)
      yield* writeAuditEntry(store, { at: now, actor, action: ACTION, subject: agent, details });
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
