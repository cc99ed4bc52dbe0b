import type { OwnerStore, OwnersLook } from '../../../../ports/owners.ts';
import { type Place, prepare, sql } from '../../prepared.ts';
import type { SqlStore } from '../../sql-store.ts';
import type { Work } from '../../work.ts';
import { audit } from './audit.ts';
import { createAgentLock } from './proven-owner.ts';

const HOUR_MS = 3_600_000;
const ACTION = 'runs.read';
/** How far back in an agent's log the same look is searched for: the log has no end, and nobody looks so often in an hour. */
const NEWEST_ENTRIES = 1_000;

interface Same {
  readonly agent: string;
  readonly actor: string;
  readonly details: string;
  readonly since: number;
  readonly now: number;
}

/** Which owners have looked at the runs of their agents. */
export function createOwnersLooks(store: SqlStore): Pick<OwnerStore, 'noteLook'> {
  const lockAgent = createAgentLock(store);
  const selectSame = prepare(store, sameLook);

  function* note({ agent, keyId: actor, member, runId }: OwnersLook, now: number): Work<void> {
    yield* lockAgent(agent); // or two processes write down the same
    const details = JSON.stringify({ member, ...(runId !== undefined && { run_id: runId }) });
    const same = yield* selectSame.get({ agent, actor, details, since: now - HOUR_MS, now });
    if (same === undefined) yield* audit(store, { at: now, actor, action: ACTION, subject: agent, details });
  }
  return { noteLook: (look, now) => store.transaction(() => note(look, now)) };
}

/** One that lies ahead is of a clock that has been put back. */
function sameLook(place: Place<Same>) {
  const newest = sql
    .selectFrom('audit')
    .selectAll()
    .where('subject', '=', place('agent'))
    .orderBy('id', 'desc')
    .limit(NEWEST_ENTRIES);
  return sql
    .selectFrom(newest.as('newest'))
    .select('id')
    .where('action', '=', ACTION)
    .where('actor', '=', place('actor'))
    .where('details', '=', place('details'))
    .where('at', '>', place('since'))
    .where('at', '<=', place('now'))
    .limit(1);
}
