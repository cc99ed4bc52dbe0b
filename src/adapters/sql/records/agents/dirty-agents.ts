import type { SelectQueryBuilder } from 'kysely';
import { present } from '../../../../base/present.ts';
import type { AgentStore, DirtyAgent } from '../../../../ports/agent-store.ts';
import type { Tables } from '../../schema.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, run, sql } from '../../statements.ts';

/** The dirty set: agents whose facts changed, or whose document changes by time alone. */
export function createDirtyAgents(store: SqlStore): Pick<AgentStore, 'takeDirty' | 'putOff'> {
  const selectDirty = prepare(store, dirtyAgents);
  const selectRipe = prepare(store, ripeAgents);
  const postpone = prepare(store, putOffAgent);
  return {
    async takeDirty(limit, now) {
      const dirty = await store.read(() => selectDirty.all({ limit }));
      const left = limit - dirty.length;
      const ripe: DirtyAgent[] = left > 0 ? await store.read(() => selectRipe.all({ now, limit: left })) : [];
      return [
        ...dirty.map(
          ({ agent, revision, trace }): DirtyAgent => ({ agent, revision, ...present({ trace }) }),
        ),
        ...ripe,
      ];
    },
    async putOff({ agent, revision }, until) {
      await store.transaction(() => postpone.run({ agent, revision, until }));
    },
  };
}

/** Marks agents whose facts changed, so that they are stitched anew. */
export function* markDirty(
  store: SqlStore,
  agents: SelectQueryBuilder<Tables, 'agent' | 'registration', { agent: string }>,
  now: number,
): SqlTask<void> {
  const touched = sql.updateTable('agent').set((row) => ({
    revision: row('revision', '+', 1),
    dirty_since: row.fn.coalesce('dirty_since', row.val(now)),
  }));
  yield* run(store, touched.where('agent', 'in', agents));
}

/** The same for one agent. */
export function markOneDirty(store: SqlStore, agent: string, now: number): SqlTask<void> {
  return markDirty(store, sql.selectFrom('agent').select('agent').where('agent', '=', agent), now);
}

function dirtyAgents(param: Param<{ limit: number }>) {
  return sql
    .selectFrom('agent')
    .select(['agent', 'revision', 'trace'])
    .where('dirty_since', 'is not', null)
    .orderBy('dirty_since')
    .limit(param('limit'));
}

/** Clean agents whose document changes by time alone. */
function ripeAgents(param: Param<{ now: number; limit: number }>) {
  return sql
    .selectFrom('agent')
    .select(['agent', 'revision'])
    .where('restitch_at', '<=', param('now'))
    .where('dirty_since', 'is', null)
    .orderBy('restitch_at')
    .limit(param('limit'));
}

/** Not when its facts moved on meanwhile: with these it may go well. */
function putOffAgent(param: Param<{ agent: string; revision: number; until: number }>) {
  return sql
    .updateTable('agent')
    .set({ dirty_since: null, restitch_at: param('until') })
    .where('agent', '=', param('agent'))
    .where('revision', '=', param('revision'));
}
