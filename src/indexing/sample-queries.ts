import type { AgentDocument } from '../domain/agent-document.ts';
import type { AgentFilter } from '../domain/agent-query.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';
import { FILTERS, type FilterParameter } from '../query/filters.ts';

/** Documents that the values are taken from, and values of an open list. */
const LOOKED_AT = 200;
const SAMPLES = 5;

type Member = keyof AgentFilter;

/**
 * Queries as they are really asked: none, each filter with values that agents in the live generation have, several
 * alternatives at once, and each two filters together.
 */
export async function sampleQueries(records: Records, index: AgentIndex): Promise<readonly AgentFilter[]> {
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

/** All of a closed list. Of an open one some, spread over all: neighbours are often of one operator. */
function samplesOf(
  { kind, samples }: Pick<FilterParameter<unknown>, 'kind' | 'samples'>,
  documents: readonly AgentDocument[],
): readonly unknown[] {
  const distinct = [...new Map(samples(documents).map((value) => [JSON.stringify(value), value])).values()];
  if (kind !== 'text') return distinct;
  const step = Math.max(1, Math.floor(distinct.length / SAMPLES));
  return distinct.filter((_, at) => at % step === 0).slice(0, SAMPLES);
}

/** Of a filter whose values are lists: all of them at once. */
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
