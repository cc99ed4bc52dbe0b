import type { AgentHit } from '../domain/agent-query.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';
import { openCursor, sealCursor } from '../query/cursor.ts';
import { MAX_LIMIT } from '../query/list-parameters.ts';
import type { ListQuery } from '../query/list-query.ts';
import { queryProblem } from './problem.ts';
import { freshUntil, renderAgentRecord } from './render/agent-record.ts';

export interface ListSources {
  readonly records: Pick<Records, 'agents'>;
  readonly index: Pick<AgentIndex, 'search'>;
  /** Signs the cursors. */
  readonly cursorSecret: Uint8Array;
}

export interface ListAnswer {
  /** The JSON text of the response body (specification, 4.1). */
  readonly body: string;
  /** Present when more agents follow. */
  readonly nextCursor?: string;
  /** The last moment, epoch milliseconds, at which the same data yield the same body. */
  readonly validUntil: number;
}

/** The key that signs the cursors of one store: every process that answers from it has the same. */
export function cursorSecretOf(records: Pick<Records, 'secret'>): Promise<Uint8Array> {
  return records.secret('cursor', 32);
}

/** Answers the list operation. Throws an HttpProblem for a cursor that is forged or belongs to other filters. */
export async function listAgents(sources: ListSources, query: ListQuery, now: number): Promise<ListAnswer> {
  const { records, index, cursorSecret } = sources;
  const after = positionOf(query, cursorSecret);
  const page = await index.search({
    filter: query.filter,
    // Without a limit as many as fit, so that clients that never page see them all.
    limit: query.limit ?? MAX_LIMIT,
    ...(after === undefined ? {} : { after }),
    ...(query.total && { total: true as const }),
  });
  const live = await records.agents.live(page.hits.map((hit) => hit.url));
  const last = page.hits.at(-1);
  const nextCursor =
    page.more && last !== undefined ? sealCursor(cursorSecret, query.filter, last.url) : undefined;
  const agents = page.hits.map((hit) => renderAgentRecord(hit, live.get(hit.url), query.switches, now));
  const validUntil = earliestFlip(page.hits, (hit) => freshUntil(live.get(hit.url)), now);
  return {
    body: listBody(agents, page.total, nextCursor),
    validUntil,
    ...(nextCursor === undefined ? {} : { nextCursor }),
  };
}

function positionOf(query: ListQuery, secret: Uint8Array): string | undefined {
  if (query.cursor === undefined) return undefined;
  const opened = openCursor(secret, query.filter, query.cursor);
  if (!opened.ok) throw queryProblem(opened.problem);
  return opened.after;
}

/** The first moment after `now` at which some agent of the page becomes stale; never when all are already. */
function earliestFlip(hits: readonly AgentHit[], until: (hit: AgentHit) => number, now: number): number {
  let earliest = Number.POSITIVE_INFINITY;
  for (const hit of hits) {
    const flip = until(hit);
    if (flip >= now && flip < earliest) earliest = flip;
  }
  return earliest;
}

function listBody(
  agents: readonly string[],
  total: number | undefined,
  nextCursor: string | undefined,
): string {
  const tail = JSON.stringify({ count: agents.length, total, next_cursor: nextCursor });
  return `{"agents":[${agents.join(',')}],${tail.slice(1)}`;
}
