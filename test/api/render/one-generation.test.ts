import { expect, it, onTestFinished } from 'vitest';
import { renderRecords } from '../../../src/api/render/agent-list.ts';
import type { AgentIndex } from '../../../src/ports/agent-index.ts';
import { bareDocument } from '../support/documents.ts';
import { openRegistry, PROBED_AT } from '../support/registry.ts';

/** More than the list reads at once. */
const AGENTS = 501;
const SWITCHES = { health: false, capabilities: false, properties: false, compliance: false };
const all = Array.from({ length: AGENTS }, (_, at) => `https://a${1_000 + at}.example/`);

it.each([
  ['other agents', all.slice(100)],
  ['no agent', []],
])(
  'holds the agents of one generation when it is switched between two reads to one with %s',
  async (_what, kept) => {
    const { records, index } = await openRegistry(all.map((url) => bareDocument(url)));
    const { id } = await index.generations.begin(PROBED_AT);
    await index.generations.write(id, await records.agents.saved(kept));
    await index.generations.built(id);
    let reads = 0;
    const search: AgentIndex['search'] = async (query) => {
      reads += 1;
      if (reads === 2) await index.generations.promote(id, PROBED_AT);
      return index.search(query);
    };
    const query = { filter: {}, switches: SWITCHES, total: true, after: undefined };
    const answer = await renderRecords({ records, index: { search } }, query, PROBED_AT);
    expect(answer.records.map((text) => JSON.parse(text).url)).toEqual(kept);
    expect(answer.total).toBe(kept.length);
  },
);

it('lets many others in between two reads, each of whom takes a round of the event loop', async () => {
  const { records, index } = await openRegistry(all.map((url) => bareDocument(url)));
  let rounds = 0;
  const count = () => {
    rounds += 1;
    next = setImmediate(count);
  };
  let next = setImmediate(count);
  onTestFinished(() => clearImmediate(next));
  const readAt: number[] = [];
  const search: AgentIndex['search'] = (query) => {
    readAt.push(rounds);
    return index.search(query);
  };
  const query = { filter: {}, switches: SWITCHES, total: false, after: undefined };
  const answer = await renderRecords({ records, index: { search } }, query, PROBED_AT);
  expect(answer.records).toHaveLength(AGENTS);
  const waits = readAt.slice(1).map((round, at) => round - (readAt[at] ?? 0));
  expect(waits.length).toBeGreaterThan(2);
  expect(Math.min(...waits)).toBeGreaterThan(16);
});
