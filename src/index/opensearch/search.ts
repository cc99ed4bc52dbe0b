import type { AgentFilter, AgentHit, AgentPage, AgentQuery, RecordGroups } from '../../domain/agent-query.ts';
import { readGroups } from '../query/list-query.ts';
import type { Engine, EngineRequest, Patience } from './client.ts';
import { EngineFault, shardsMissing } from './errors.ts';
import { filterClause, searchBody } from './query.ts';

interface SearchAnswer {
  readonly timed_out: boolean;
  readonly _shards: ShardsAnswer;
  readonly hits: {
    /** Present, and exact, when it was asked for. */
    readonly total?: { readonly value: number };
    readonly hits: readonly { readonly _index: string; readonly _source: StoredDocument }[];
  };
}

export interface ShardsAnswer {
  readonly total: number;
  readonly successful: number;
  readonly failed: number;
}

interface CountAnswer {
  readonly count: number;
  readonly _shards: ShardsAnswer;
}

/** One page of `target`, an alias or an index. Whole, or an EngineFault. */
export async function searchAgents(engine: Engine, target: string, query: AgentQuery): Promise<AgentPage> {
  const request = searchRequest(target, query, engine.reads.withinMs);
  const answer = await engine.send<SearchAnswer>(request, engine.reads, ensureWhole);
  const { hits: found, total } = answer.hits;
  return {
    hits: found.slice(0, query.limit).map(({ _source }) => hitOf(_source, query)),
    more: found.length > query.limit,
    ...(found[0] !== undefined && { generation: found[0]._index }),
    ...(total !== undefined && { total: total.value }),
  };
}

function searchRequest(target: string, query: AgentQuery, withinMs: number): EngineRequest {
  return {
    method: 'POST',
    path: `/${target}/_search`,
    query: { allow_partial_search_results: false, timeout: `${withinMs}ms` },
    body: searchBody(query),
  };
}

type StoredDocument = Pick<AgentHit, 'url' | 'seq'> & RecordGroups;

/**
 * The engine sends a document as it was stored, with the few fields for the filters: taking these out would cost it
 * more (10 µs a hit, or half as much again for each write) than sending them.
 */
function hitOf(
  { url, seq, base, properties, capabilities, compliance }: StoredDocument,
  { filter, shown }: AgentQuery,
): AgentHit {
  if (shown === undefined) return { url, seq };
  const read = readGroups(shown, filter);
  const groups = {
    base,
    ...(read.properties && properties !== undefined && { properties }),
    ...(read.capabilities && capabilities !== undefined && { capabilities }),
    ...(read.compliance && compliance !== undefined && { compliance }),
  };
  return { url, seq, groups };
}

/** How many agents of `target` are under the filter; exact, or an EngineFault. */
export async function countHits(
  engine: Engine,
  target: string,
  filter: AgentFilter,
  patience: Patience = engine.reads,
): Promise<number> {
  const request = {
    method: 'POST',
    path: `/${target}/_count`,
    body: { query: filterClause(filter) },
  } as const;
  const answer = await engine.send<CountAnswer>(request, patience, ensureWhole);
  return answer.count;
}

/** A shard that did not answer would make a list shorter than it is. */
export function ensureWhole(answer: { readonly timed_out?: boolean; readonly _shards: ShardsAnswer }): void {
  if (answer.timed_out) throw new EngineFault('no answer in time');
  const { total, successful, failed } = answer._shards;
  if (failed > 0 || successful < total || total === 0) {
    throw shardsMissing(`${total - successful} of ${total} shards did not answer`);
  }
}
