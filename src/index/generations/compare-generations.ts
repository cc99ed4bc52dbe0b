import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { AgentDocument } from '../../domain/agent-document.ts';
import type { AgentFilter, AgentPage } from '../../domain/agent-query.ts';
import type { AgentIndex } from '../../ports/agent-index.ts';
import type { Records } from '../../ports/records.ts';
import { FILTERS, type FilterParameter } from '../query/filters.ts';

/** Shrink relative to the live generation above which the switch must be confirmed. */
const MAX_SHRINK = 0.1;
const PAGE = 50;
/** Pages after the first that are compared for each query. */
const LATER_PAGES = 1;

export interface Comparison {
  /** Agents in the live generation; undefined if none is live, or they cannot be counted. */
  readonly live: number | undefined;
  readonly candidate: number;
  readonly shrinks: boolean;
  /** Number of sample queries that were run on both. */
  readonly asked: number;
  /** Those of them whose pages differ. */
  readonly differing: readonly AgentFilter[];
}

/**
 * Compares a generation with the live one: the counts, and the first pages of a sample of queries. A live one that cannot be
 * searched, such as one of another layout, is compared by its count alone.
 */
export async function compareGenerations(
  records: Records,
  index: AgentIndex,
  id: number,
): Promise<Comparison> {
  const generations = await index.generations.list();
  const live = generations.find((generation) => generation.state === 'live');
  const candidate = generations.find((generation) => generation.id === id)?.documents ?? 0;
  if (live?.documents === undefined)
    return { live: undefined, candidate, shrinks: false, asked: 0, differing: [] };
  const isSearchable = live.fault === undefined && live.id !== id;
  const filters = isSearchable ? await sampleQueries(records, index) : [];
  const differing: AgentFilter[] = [];
  for (const filter of filters) {
    if (!(await sameAnswers(index, [live.id, id], filter))) differing.push(filter);
    await yieldToEventLoop();
  }
  const shrinks = candidate < live.documents * (1 - MAX_SHRINK);
  return { live: live.documents, candidate, shrinks, asked: filters.length, differing };
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

/** Documents that sample values are taken from, and sample values of an open list. */
const LOOKED_AT = 200;
const SAMPLES = 5;

type Member = keyof AgentFilter;

/**
 * Realistic queries: without a filter, each filter with values of agents in the live generation, several alternatives at once,
 * and each pair of filters.
 */
async function sampleQueries(records: Records, index: AgentIndex): Promise<readonly AgentFilter[]> {
  const documents = await liveDocuments(records, index);
  const samples = Object.entries(FILTERS).map(
    ([member, filter]) => [member as Member, samplesOf(filter, documents)] as const,
  );
  return [
    {},
    ...samples.flatMap(([member, values]) => values.map((value) => ({ [member]: value }))),
    ...samples.flatMap(([member, values]) => alternatives(values).map((value) => ({ [member]: value }))),
    ...inPairs(samples),
  ];
}

/** All values of a closed list. Of an open list a few, spread evenly, because neighbours often belong to one operator. */
function samplesOf(
  { kind, samples }: Pick<FilterParameter<unknown>, 'kind' | 'samples'>,
  documents: readonly AgentDocument[],
): readonly unknown[] {
  const distinct = [...new Map(samples(documents).map((value) => [JSON.stringify(value), value])).values()];
  if (kind !== 'text') return distinct;
  const step = Math.max(1, Math.floor(distinct.length / SAMPLES));
  return distinct.filter((_, at) => at % step === 0).slice(0, SAMPLES);
}

/** For a filter whose values are lists: all alternatives at once. */
function alternatives(values: readonly unknown[]): readonly unknown[] {
  return values.length > 1 && values.every(Array.isArray) ? [[...new Set(values.flat())]] : [];
}

function inPairs(samples: readonly (readonly [Member, readonly unknown[]])[]): readonly AgentFilter[] {
  const first = samples
    .filter(([, values]) => values.length > 0)
    .map(([member, [value]]) => ({ [member]: value }));
  return first.flatMap((one, at) => first.slice(at + 1).map((other) => ({ ...one, ...other })));
}

async function liveDocuments(records: Records, index: AgentIndex): Promise<readonly AgentDocument[]> {
  const filters: readonly AgentFilter[] = [{}, { type: 'measurement' }, { verified: true }];
  const pages = await Promise.all(filters.map((filter) => index.search({ filter, limit: LOOKED_AT })));
  const agents = new Set(pages.flatMap((page) => page.hits.map((hit) => hit.url)));
  const saved = await records.agents.saved([...agents]);
  return saved.flatMap(({ document }) => (document === undefined ? [] : [document]));
}
