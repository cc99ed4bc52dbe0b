import type { AgentFilter } from '../domain/agent-query.ts';
import { AGENT_TYPES } from '../domain/agent-type.ts';
import type { AgentIndex } from '../ports/agent-index.ts';

/** A generation may hold this much less than the live one before somebody has to agree. */
const MAX_SHRINK = 0.1;
const SAMPLE = 50;

export interface Comparison {
  readonly live: number;
  readonly candidate: number;
  readonly shrinks: boolean;
  /** Sample queries whose first page differs, by their filter. */
  readonly differing: readonly AgentFilter[];
}

const SAMPLE_FILTERS: readonly AgentFilter[] = [
  {},
  ...AGENT_TYPES.map((type) => ({ type })),
  { verified: true },
];

/** Compares a generation with the live one: the counts, and the first page of a sample of queries. */
export async function compareGenerations(index: AgentIndex, id: number): Promise<Comparison> {
  const generations = await index.generations.list();
  const live = generations.find((generation) => generation.state === 'live');
  const candidate = generations.find((generation) => generation.id === id)?.documents ?? 0;
  const before = live?.documents ?? 0;
  const differing: AgentFilter[] = [];
  for (const filter of live === undefined ? [] : SAMPLE_FILTERS) {
    if (!(await samePage(index, live?.id ?? id, id, filter))) differing.push(filter);
  }
  return { live: before, candidate, shrinks: candidate < before * (1 - MAX_SHRINK), differing };
}

async function samePage(
  index: AgentIndex,
  first: number,
  second: number,
  filter: AgentFilter,
): Promise<boolean> {
  const query = { filter, limit: SAMPLE };
  const pages = await Promise.all([
    index.generations.searchIn(first, query),
    index.generations.searchIn(second, query),
  ]);
  const [a, b] = pages.map((page) => page.hits.map((hit) => `${hit.url}#${hit.seq}`).join('\n'));
  return a === b;
}
