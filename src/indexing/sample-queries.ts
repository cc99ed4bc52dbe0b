import type { AgentDocument } from '../domain/agent-document.ts';
import type { AgentFilter } from '../domain/agent-query.ts';
import { AGENT_TYPES } from '../domain/agent-type.ts';
import type { AgentIndex } from '../ports/agent-index.ts';
import type { Records } from '../ports/records.ts';

/** Documents that the values are taken from, and values of a kind. */
const LOOKED_AT = 200;
const VALUES = 5;
const Q_LENGTH = 6;

const FIXED: readonly AgentFilter[] = [{}, { verified: true }, ...AGENT_TYPES.map((type) => ({ type }))];

/**
 * Queries as they are really asked: every type, verified, and metrics, accrediting bodies, texts and badges that
 * agents in the live generation have.
 */
export async function sampleQueries(records: Records, index: AgentIndex): Promise<readonly AgentFilter[]> {
  const documents = await liveDocuments(records, index);
  const metrics = some(documents.flatMap(({ metricIds }) => metricIds));
  const bodies = some(documents.flatMap(({ accreditations }) => accreditations));
  const badges = documents.flatMap((document) => document.badges).filter(({ axes }) => axes.length > 0);
  const texts = some(metrics.map(middle).filter((text) => text !== ''));
  return [
    ...FIXED,
    ...metrics.map((metricId) => ({ metricIds: [metricId] })),
    ...(metrics.length > 1 ? [{ metricIds: metrics }] : []),
    ...bodies.map((body) => ({ accreditations: [body] })),
    ...texts.map((q) => ({ q })),
    ...badges.slice(0, VALUES).map(({ axes }) => ({ verificationModes: axes })),
    ...both(metrics[0], bodies[0]),
  ];
}

async function liveDocuments(records: Records, index: AgentIndex): Promise<readonly AgentDocument[]> {
  const filters: readonly AgentFilter[] = [{}, { type: 'measurement' }, { verified: true }];
  const pages = await Promise.all(filters.map((filter) => index.search({ filter, limit: LOOKED_AT })));
  const agents = new Set(pages.flatMap((page) => page.hits.map((hit) => hit.url)));
  const saved = await records.agents.saved([...agents]);
  return saved.flatMap(({ document }) => (document === undefined ? [] : [document]));
}

/** Some of them, spread over all: neighbours are often of one operator. */
function some(values: readonly string[]): readonly string[] {
  const distinct = [...new Set(values)];
  const step = Math.max(1, Math.floor(distinct.length / VALUES));
  return distinct.filter((_, at) => at % step === 0).slice(0, VALUES);
}

/** A text that is found inside the value and not only at its ends. */
function middle(value: string): string {
  const characters = [...value.toLowerCase()];
  const from = Math.max(0, Math.floor((characters.length - Q_LENGTH) / 2));
  return characters.slice(from, from + Q_LENGTH).join('');
}

function both(metricId: string | undefined, body: string | undefined): readonly AgentFilter[] {
  return metricId === undefined || body === undefined
    ? []
    : [{ metricIds: [metricId], accreditations: [body] }];
}
