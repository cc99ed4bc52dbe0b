import type { Protocol } from '../../../../domain/agent-type.ts';
import { type Place, prepare, sql } from '../../prepared.ts';
import type { SqlStore } from '../../sql-store.ts';
import type { Work } from '../../work.ts';

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
export function createSeenAgentWriter(store: SqlStore): (seen: SeenAgent) => Work<number> {
  const update = prepare(store, seenAgent);
  return (seen) => update.run(seen);
}

function seenAgent(place: Place<SeenAgent>) {
  return sql
    .updateTable('agent')
    .set((row) => ({
      last_checked_at: place('at'),
      last_seen_at: place('lastSeenAt'),
      health: place('health'),
      protocol: place('protocol'),
      endpoint: place('endpoint'),
      good_at: place('goodAt'),
      good_protocol: place('goodProtocol'),
      good_endpoint: place('goodEndpoint'),
      good_exposed: place('goodExposed'),
      revision: row('revision', '+', place('changed')),
      dirty_since: row
        .case()
        .when(row.val(place('changed')), '=', 1)
        .then(row.fn.coalesce('dirty_since', row.val(place('at'))))
        .else(row.ref('dirty_since'))
        .end(),
      trace: row
        .case()
        .when(row.val(place('changed')), '=', 1)
        .then(row.fn.coalesce(row.val(place('trace')), 'trace'))
        .else(row.ref('trace'))
        .end(),
    }))
    .where('agent', '=', place('agent'));
}
