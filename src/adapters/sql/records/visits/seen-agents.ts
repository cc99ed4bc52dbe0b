import type { Protocol } from '../../../../domain/agent-type.ts';
import type { SqlStore, SqlTask } from '../../sql-tasks.ts';
import { type Param, prepare, sql } from '../../statements.ts';

/** What a probe leaves of an agent. */
export interface SeenAgent {
  readonly agent: string;
  readonly at: number;
  readonly lastSeenAt: number | null;
  readonly health: string;
  readonly protocol: Protocol | null;
  readonly endpoint: string | null;
  readonly goodAt: number | null;
  readonly goodProtocol: Protocol | null;
  readonly goodEndpoint: string | null;
  readonly goodExposed: string | null;
  /** 1 when the document may differ, so the agent becomes dirty. */
  readonly changed: number;
  readonly trace: string | null;
}

/** Writes what was seen of a known agent. Inside the caller's transaction. */
export function createSeenAgentWriter(store: SqlStore): (seen: SeenAgent) => SqlTask<number> {
  const update = prepare(store, seenAgent);
  return (seen) => update.run(seen);
}

function seenAgent(param: Param<SeenAgent>) {
  return sql
    .updateTable('agent')
    .set((row) => ({
      last_checked_at: param('at'),
      last_seen_at: param('lastSeenAt'),
      health: param('health'),
      protocol: param('protocol'),
      endpoint: param('endpoint'),
      good_at: param('goodAt'),
      good_protocol: param('goodProtocol'),
      good_endpoint: param('goodEndpoint'),
      good_exposed: param('goodExposed'),
      revision: row('revision', '+', param('changed')),
      dirty_since: row
        .case()
        .when(row.val(param('changed')), '=', 1)
        .then(row.fn.coalesce('dirty_since', row.val(param('at'))))
        .else(row.ref('dirty_since'))
        .end(),
      trace: row
        .case()
        .when(row.val(param('changed')), '=', 1)
        .then(row.fn.coalesce(row.val(param('trace')), 'trace'))
        .else(row.ref('trace'))
        .end(),
    }))
    .where('agent', '=', param('agent'));
}
