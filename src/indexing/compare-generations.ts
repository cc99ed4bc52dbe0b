import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { AgentFilter, AgentPage } from '../domain/agent-query.ts';
import { RegistryError } from '../errors.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';
import { sampleQueries } from './sample-queries.ts';

/** A generation may hold this much less than the live one before somebody has to agree. */
const MAX_SHRINK = 0.1;
const PAGE = 50;
/** The pages after the first that a sample query is followed for. */
const LATER_PAGES = 1;

export interface Comparison {
  /** Agents in the live generation; undefined when none is live, or it cannot be read. */
  readonly live: number | undefined;
  readonly candidate: number;
  readonly shrinks: boolean;
  /** How many sample queries were asked in both. */
  readonly asked: number;
  /** Those of them whose pages differ. */
  readonly differing: readonly AgentFilter[];
}

/** Compares a generation with the live one: the counts, and the first pages of a sample of queries. */
export async function compareGenerations(
  records: Records,
  index: AgentIndex,
  id: number,
): Promise<Comparison> {
  const generations = await index.generations.list();
  const live = generations.find((generation) => generation.state === 'live');
  const candidate = generations.find((generation) => generation.id === id)?.documents ?? 0;
  if (live === undefined || live.unreadable !== undefined)
    return { live: undefined, candidate, shrinks: false, asked: 0, differing: [] };
  const filters = live.id === id ? [] : await sampleQueries(records, index).catch(noneIfUnreadable);
  const differing: AgentFilter[] = [];
  for (const filter of filters) {
    if (!(await sameAnswers(index, [live.id, id], filter))) differing.push(filter);
    await yieldToOthers();
  }
  const shrinks = candidate < live.documents * (1 - MAX_SHRINK);
  return { live: live.documents, candidate, shrinks, asked: filters.length, differing };
}

/** A live generation that another version of the program made cannot be asked by this one: the counts must do. */
function noneIfUnreadable(error: unknown): readonly AgentFilter[] {
  if (error instanceof RegistryError && error.code === 'index_missing') return [];
  throw error;
}

async function sameAnswers(
  { generations }: AgentIndex,
  ids: readonly [number, number],
  filter: AgentFilter,
): Promise<boolean> {
  let after: string | undefined;
  for (let page = 0; page <= LATER_PAGES; page += 1) {
    const query = { filter, limit: PAGE, ...(after !== undefined && { after }) };
    const [a, b] = await Promise.all([
      generations.searchIn(ids[0], query),
      generations.searchIn(ids[1], query),
    ]);
    if (textOf(a) !== textOf(b)) return false;
    after = a.hits.at(-1)?.url;
    if (!a.more || after === undefined) return true;
  }
  return true;
}

/** Which agents in which versions, and whether more follow. */
function textOf({ hits, more }: AgentPage): string {
  return [...hits.map((hit) => `${hit.url}#${hit.seq}`), more].join('\n');
}
